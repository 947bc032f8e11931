# frozen_string_literal: true

require_relative "stopped_clock"

module Trunkline
  # A codec without a server, while the clock stands: the test says what the server says. The test makes @codec, and has @woken and @sent_before.
  module CodecTalk
    include StoppedClock # what a codec sends depends on how long answers take: here they take no time

    attr_reader :codec, :woken

    # The codec takes in the bytes.
    #
    # @return [Boolean] whether the session can be trusted on
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
