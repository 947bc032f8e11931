# frozen_string_literal: true

module Trunkline
  module Postgres
    class Startup
      # Cuts the bytes of a handshake into messages: one byte of type, four of length, the body.
      class Frames
        # Bytes that came and are not cut off yet.
        #
        # @return [String]
        attr_reader :rest

        # @return [Integer] how many bytes are cut off
        attr_reader :taken

        def initialize
          @taken = 0
          @rest = String.new(encoding: Encoding::BINARY)
        end

        # @param bytes [String]
        def <<(bytes)
          @rest << bytes
          self
        end

        # @return [String, nil] type of the message at hand
        def type = @rest[0]

        # @return [Integer, nil] what the message at hand says its length is, itself included; nil until that has come
        def length = @rest.unpack1("@1l>")

        # @return [Array(String, String), nil] type and body; nil until the whole message has come
        def next
          return unless length && @rest.bytesize > length

          message = @rest.slice!(0, length + 1)
          @taken += message.bytesize
          [message[0], message.byteslice(5..)]
        end
      end
    end
  end
end
