# frozen_string_literal: true

require "async"
require_relative "frontend_units"

module Trunkline
  # Requests of plain threads and of fibers, for tests of connections and queues.
  module Requests
    CODEC = Postgres.const_get(:Codec)
    REQUEST = Postgres.const_get(:Request)
    STATEMENT = Postgres.const_get(:Statement)

    # @return [Request] of the calling fiber or thread
    def request = REQUEST.query(STATEMENT.new("SELECT 1", 0), [])

    # @return [Request] of another event loop, which stays: what ended ones hold is freed
    def foreign_request
      made = Queue.new
      Thread.new { Sync { made.push(request) && sleep } }
      made.pop
    end

    # @return [Array<Request>] of different fibers in one event loop
    def fellow_requests(count) = Thread.new { Sync { Array.new(count) { request } } }.value

    # Its statements are prepared for one request each.
    def codec = CODEC.new({}, 1 << 20, nil, "")

    # A codec with requests in flight.
    def busy_codec(count = 1) = codec.tap { |busy| count.times { busy.submit(request) } }

    # A server's answers to the messages of a request.
    ANSWERS = { "P" => ["1"], "D" => %W[t\0\0 n], "B" => ["2"], "E" => ["C\0"], "C" => ["3"], "S" => ["ZI"] }.freeze

    # Passes the codec the answers to so many of its requests.
    def finish(codec, count = 1)
      woken = []
      asked = FrontendUnits.of(codec.output.to_s).last(codec.in_flight).first(count)
      codec.input << asked.flatten.flat_map { |type| ANSWERS.fetch(type, []) }.map { |message| frame(message) }.join
      codec.receive(woken)
      woken
    end

    # @return [Request] of a statement that is known to be short
    def known_request
      REQUEST.query(STATEMENT.new("SELECT 1", 0).tap { |statement| statement.service.measure(0.0001, true) }, [])
    end

    private

    def frame(message) = [message[0], message.bytesize + 3, message[1..]].pack("aNa*")
  end
end
