# frozen_string_literal: true

require "trunkline"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # What it takes to choose a connection for a query, among some that are made up: nothing is sent.
      class Choosing
        # Stands for a connection.
        Station = Struct.new(:state, :codec)
        SHORT = 0.0001  # seconds
        LONG = 10.0     # seconds
        SLOW_WAY = 3600 # seconds of a round trip, so that no answer is late while this runs
        TIMES = 200_000
        KNOWN = 100     # executions after which a statement is known for what it is
        private_constant :Station, :SHORT, :LONG, :SLOW_WAY, :TIMES, :KNOWN

        def initialize(**)
          @codec, @request, statement = %i[Codec Request Statement].map { |name| Postgres.const_get(name) }
          @short, @long = [SHORT, LONG].map do |seconds|
            statement.new("SELECT #{seconds}", 0).tap { |known| KNOWN.times { known.service.measure(seconds, true) } }
          end
        end

        # @param among [Integer] connections
        # @return [Hash{String => Float}] us for each state that the connections are in, for the dearer of a short and a long query
        def measure(among:)
          states(among).transform_values do |stations|
          dispatcher = Trunkline.const_get(:Dispatcher).new(among, among, 3600).choose_among(stations, stations.map(&:state))
          [@short, @long].map { |statement| once(dispatcher, query(statement)) }.max
        end
        end

        private

        def states(among)
          { "idle" => stations(among) { [] }, "busy with short queries" => stations(among) { [@short] * 3 },
            "busy with long ones but for one" => stations(among) { |number| number.zero? ? [@short] : [@long] } }
        end

        # @yieldreturn [Array<Statement>] what is in flight there
        def stations(among)
          Array.new(among) do |number|
            codec = @codec.new({}, 1 << 20)
            state = Trunkline.const_get(:ConnectionState).new(codec)
            state.round_trip = SLOW_WAY
            yield(number).each { |statement| codec.submit(query(statement)) }
            state.lead(query(@short).tap { |leader| state.enter(leader) }) unless codec.idle?
            Station.new(state, codec)
          end
        end

        def query(statement) = @request.query(statement, [])

        def once(dispatcher, request) = Measure.run { TIMES.times { dispatcher.choose(request) } }[:cpu] / TIMES * 1e6
      end
    end
  end
end
