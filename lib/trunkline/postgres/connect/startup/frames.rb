# frozen_string_literal: true

module Trunkline
  module Postgres
    class Startup
      # Splits the bytes of a handshake into messages: one byte of type, four of length, the body.
      class Frames
        # Bytes that have arrived and are not consumed yet.
        #
        # @return [String]
        attr_reader :rest

        # @return [Integer] how many bytes are consumed
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

        # @return [String, nil] type of the next message
        def type = @rest[0]

        # @return [Integer, nil] the length of the next message as it states it, length field included; nil: not arrived yet
        def length = @rest.unpack1("@1l>")

        # @return [Array(String, String), nil] type and body; nil: the message is not complete
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
