# frozen_string_literal: true

require_relative "stopped_clock"

module Trunkline
  # A codec without a server, with the clock stopped: the test supplies the server's messages. The test makes @codec, and has @woken and @sent_before.
  module CodecTalk
    include StoppedClock # a codec's messages depend on service times: here answers take no time

    attr_reader :codec, :woken

    # Passes the bytes to the codec.
    #
    # @return [Boolean] whether the session can still be used
    def answer(bytes)
      codec.input << bytes
      codec.receive(woken)
    end

    # @return [String] the codec's output since the last call
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
