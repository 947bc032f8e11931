# frozen_string_literal: true

module Trunkline
  module Memcached
    # A codec without a server: `ask` puts a request in, `answer` what the server says to it.
    module Talk
      LIMIT = 1 << 20 # bytes

      attr_reader :codec, :woken

      def setup
        super
        begin_talk
      end

      def begin_talk
        @codec = Codec.new(LIMIT)
        @woken = []
        @sent_before = 0
      end

      # @return [Request] submitted
      def ask(request)
        codec.submit(request)
        request
      end

      def get(key = "key", flags = " v f") = Request.get(key, flags)
      def store(key = "key", value = "value", flags = "") = Request.store(key, value, 0, flags)

      # The codec takes in the bytes.
      def answer(bytes)
        codec.input << bytes
        codec.receive(woken)
      end

      # @return [String] what the codec has to send since this was last asked
      def sent
        bytes = codec.output.to_s
        fresh = bytes.byteslice(@sent_before..)
        @sent_before = bytes.bytesize
        fresh
      end

      def assert_nonsense(bytes, expected)
        error = assert_raises(ProtocolError) { answer(bytes) }
        assert_match expected, error.message
      end
    end
  end
end
