# frozen_string_literal: true

require "async"

module Trunkline
  # Requests of plain threads and of fibers, for tests of what carries and orders them.
  module Requests
    CODEC = Postgres.const_get(:Codec)
    REQUEST = Postgres.const_get(:Request)
    STATEMENT = Postgres.const_get(:Statement)

    # @return [Request] of the calling fiber or thread
    def request = REQUEST.query(STATEMENT.new("SELECT 1", 0), [])

    # @return [Request] of an event loop of its own
    def foreign_request = Thread.new { Sync { request } }.value

    # @return [Array<Request>] of different fibers in one event loop
    def fellow_requests(count) = Thread.new { Sync { Array.new(count) { request } } }.value

    # What is prepared is for one request.
    def codec = CODEC.new({}, 1 << 20, nil, "")

    # A codec with requests in flight.
    def busy_codec(count = 1) = codec.tap { |busy| count.times { busy.submit(request) } }

    # The answer to so many of the codec's requests has come.
    def finish(codec, count = 1)
      woken = []
      codec.input << (["1", "t\0\0", "n", "2", "C\0"].map { |message| frame(message) }.join + frame("ZI")) * count
      codec.receive(woken)
      woken
    end

    private

    def frame(message) = [message[0], message.bytesize + 3, message[1..]].pack("aNa*")
  end
end
