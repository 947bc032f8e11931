# frozen_string_literal: true

require_relative "../../../errors"

module Trunkline
  module Postgres
    class Startup
      # The negotiated protocol version: the client requests the newest that it allows, and the server may answer with an older one (PostgreSQL
      # manual, "NegotiateProtocolVersion").
      class ProtocolVersion
        MAJOR = 3 << 16 # of the protocol
        private_constant :MAJOR

        # @param newest [String] "3.0" or "3.2"
        # @param oldest [String] "3.0" or "3.2"
        def initialize(newest, oldest)
          @number = number(newest)
          @oldest = number(oldest)
        end

        # @return [Integer] as in the startup message
        def to_i = @number

        # @return [String]
        def to_s = text(@number)

        # @param body [String] of NegotiateProtocolVersion: a version, and the options that the server does not support
        # @raise [ConnectionError] the client does not allow that version
        # @raise [ProtocolError] the message is invalid
        def negotiate(body)
          version, count = body.unpack("NN")
          raise ProtocolError, "a malformed NegotiateProtocolVersion" unless count

          version |= MAJOR if version < MAJOR # Some poolers send only the minor number.
          raise ProtocolError, "the server rejects protocol options that the client did not request: #{body[8, 60].inspect}" unless count == 0

          version == number("3.1") || !version.between?(MAJOR, @number) ? nonsense(version) : take(version)
        end

        private

        def number(text) = MAJOR | Integer(text.delete_prefix("3."), 10)

        def text(number) = "#{number >> 16}.#{number & 0xFFFF}"

        def take(version)
          return @number = version if version >= @oldest

          raise ConnectionError.new("the server speaks protocol #{text(version)}, and min_protocol_version is #{text(@oldest)}", retriable: false)
        end

        def nonsense(version)
          raise ProtocolError, "the server chose protocol #{text(version)} where the client requested #{text(@number)}"
        end
      end

      private_constant :ProtocolVersion
    end
  end
end
