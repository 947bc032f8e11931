# frozen_string_literal: true

require "trunkline"
require_relative "measure"

module Trunkline
  module Bench
    # What it takes to choose a host for a read, among some that are made up, with four connections each: nothing is sent.
    class HostChoices
      # Stands for a connection.
      Station = Struct.new(:state, :codec)
      CONNECTIONS = 4
      SHORT = 0.0001  # seconds
      SLOW_WAY = 3600 # seconds of a round trip, so that no answer is late while this runs
      TIMES = 200_000
      KNOWN = 100     # executions after which a statement is known for what it is
      private_constant :Station, :CONNECTIONS, :SHORT, :SLOW_WAY, :TIMES, :KNOWN

      # @param among [Integer] hosts
      def initialize(among)
        @codec, @request, statement = %i[Codec Request Statement].map { |name| Postgres.const_get(name) }
        @statement = statement.new("SELECT 1", 0).tap { |known| known.services(among).each { |service| KNOWN.times { service.measure(SHORT, true) } } }
        @dispatchers = Array.new(among) { |number| dispatcher(number) }
        @among = among
      end

      # @param times [Integer] choices to make
      # @return [Float] of processor time for one choice
      def seconds(times = TIMES)
        choice = Trunkline.const_get(:HostChoice).new(@dispatchers)
        services = @statement.services(@among)
        Measure.run { times.times { choice.left(choice.choose(services, nil), choice.period) } }[:cpu] / times
      end

      private

      # Half of the connections are busy.
      def dispatcher(number)
        stations = Array.new(CONNECTIONS) { |at| station(at.odd? ? (number % 3) + 1 : 0) }
        Trunkline.const_get(:Dispatcher).new(CONNECTIONS, CONNECTIONS, 3600).choose_among(stations, stations.map(&:state))
      end

      def station(in_flight)
        codec = @codec.new({}, 1 << 20)
        state = Trunkline.const_get(:ConnectionState).new(codec)
        state.round_trip = SLOW_WAY
        in_flight.times { codec.submit(query) }
        state.lead(query.tap { |leader| state.enter(leader) }) unless codec.idle?
        Station.new(state, codec)
      end

      def query = @request.query(@statement, [])
    end
  end
end
