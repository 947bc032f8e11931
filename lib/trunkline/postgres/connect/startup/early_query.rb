# frozen_string_literal: true

require_relative "../../../errors"
require_relative "frames"

module Trunkline
  module Postgres
    class Startup
      # A simple query that a new session runs before it is used, and that returns one row, without I/O.
      class EarlyQuery
        # The maximum length of a message of its answer.
        LIMIT = 30_000
        private_constant :LIMIT

        # @return [String] that sends the query
        def self.message(sql) = ["Q", sql.bytesize + 5, sql].pack("aNa*x")

        # @return [Array<String, nil>, nil] the columns of the row; nil: no row has arrived
        attr_reader :row

        # @return [String, nil] the fields of an ErrorResponse
        attr_reader :error

        # @param name [String] of the query, for messages
        # @param leftover [String] bytes that were read before
        def initialize(name, leftover)
          @name = name
          @frames = Frames.new << leftover
          @answered = false
          @row = @error = nil
          handle_messages
        end

        def answered? = @answered

        # @param bytes [String] what the server sent
        # @raise [ProtocolError]
        def receive(bytes)
          @frames << bytes
          handle_messages
        end

        # @return [String] bytes that follow the answer
        def leftover = @frames.rest

        private

        def handle_messages
          while !@answered && @frames.type
            check_length
            type, body = @frames.next
            type ? handle(type, body) : break
          end
        end

        def check_length
          return if @frames.length.nil? || @frames.length.between?(4, LIMIT)

          raise ProtocolError, "an answer of #{@frames.length} bytes to #{@name}"
        end

        def handle(type, body)
          case type
          when "D" then @row = columns(body)
          when "E" then @error = body
          when "Z" then @answered = true
          end
        end

        # Two bytes of column count, then each column with four bytes of length before it.
        def columns(body)
          at = 2
          Array.new(body.unpack1("n").to_i) do
            length = body.byteslice(at, 4).to_s.unpack1("l>") or raise ProtocolError, "a malformed DataRow"
            value = body.byteslice(at + 4, length) unless length.negative?
            at += 4 + [length, 0].max
            value
          end
        end
      end
    end
  end
end
