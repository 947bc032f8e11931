# frozen_string_literal: true

class GateProxy
  # Finds the end of each message in one direction of the protocol. Messages without a type byte, a frontend's first ones, are called :startup, :ssl
  # or :cancel.
  class MessageScanner
    REQUESTS = { 80_877_102 => :cancel, 80_877_103 => :ssl, 80_877_104 => :gss }.freeze

    # @param frontend [Boolean] whether this direction begins with messages without a type
    def initialize(frontend:)
      @typed = !frontend
      @buffer = "".b
      @position = 0
    end

    # @param bytes [String] what came next
    # @yieldparam type [String, Symbol] the type byte, or what the untyped message is
    # @yieldparam position [Integer] number of bytes of the stream up to this message's end
    def scan(bytes)
      @buffer << bytes
      while (size = whole_message)
        message = @buffer.slice!(0, size)
        @position += size
        yield type_of(message), @position
      end
    end

    private

    def whole_message
      head = @typed ? 1 : 0
      length = @buffer.byteslice(head, 4).to_s
      return if length.bytesize < 4

      size = head + length.unpack1("N")
      size if @buffer.bytesize >= size
    end

    def type_of(message)
      return message[0] if @typed

      type = REQUESTS.fetch(message[4, 4].unpack1("N"), :startup)
      @typed = type == :startup
      type
    end
  end
end
