# frozen_string_literal: true

require_relative "codec_talk"

module Trunkline
  module Memcached
    # memcached's codec: `ask` submits a request, `answer` passes it the server's answer.
    module Talk
      include CodecTalk

      LIMIT = 1 << 20 # bytes

      def setup
        super
        begin_talk
      end

      def begin_talk
        @codec = Codec.new(LIMIT, true)
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
    end
  end
end
