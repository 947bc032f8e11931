# frozen_string_literal: true

require_relative "requests"
require_relative "stopped_clock"

module Trunkline
  # Trunks without connections, for tests of the choice among them, with the clock stopped. A long head is expected to take hours, and a short one no
  # time.
  module Dispatching
    include Requests
    include StoppedClock

    HOURS = 10_000.0
    A_MOMENT = 0.0005 # seconds

    # Represents a trunk.
    Station = Struct.new(:name, :state, :codec)

    # @return [Dispatcher]
    def dispatcher(*stations, connections: stations.size, most: connections, max_idle: 3600)
      Dispatcher.new(connections, most, max_idle).tap { |made| made.choose_among(stations, stations.map(&:state)) }
    end

    # @return [Dispatcher] of the first of nine
    def growing(*stations, **options)
      dispatcher(*stations, connections: 2, most: 9, **options).tap { |made| made.may_grow = true }
    end

    # @param requests [Array<Request>] in flight there
    # @param led [Boolean] whether a caller reads there
    def station(name, *requests, led: true)
      codec = self.codec
      state = ConnectionState.new(codec)
      requests.each { |one| codec.submit(one) }
      state.lead(request.tap { |leader| state.enter(leader) }) if led && requests.any?
      Station.new(name, state, codec)
    end

    # @return [Statement] that is known to take so long
    def statement(seconds)
      @statements = @statements.to_i + 1
      STATEMENT.new("SELECT #{@statements}", @statements).tap { |made| 80.times { made.service.measure(seconds, true) } }
    end

    def short = query(@short ||= statement(0.0))
    def long = query(@long ||= statement(HOURS))

    # @return [Request] of which nothing is known
    def unseen = request

    def query(statement) = REQUEST.query(statement, [])

    # Makes the head exceed its estimate.
    def late(station)
      Clock.pass(A_MOMENT) until station.state.behind_estimate?
      station
    end
  end
end
