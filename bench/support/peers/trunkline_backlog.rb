# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/accounts"
require_relative "backlog_load"

module Trunkline
  module Bench
    module Peers
      # Short queries that come as they like, beside long ones.
      class TrunklineBacklog
        include BacklogLoad

        SLEEP = "SELECT pg_sleep($1::float8)"
        WARM_UP = 20 # executions after which a statement is known for what it is
        private_constant :SLEEP, :WARM_UP

        def initialize(uri:, rows:, connections:, max_connections:)
          @rows = rows
          @db = Trunkline.postgres(uri, connections: connections, max_connections: max_connections)
        end

        # @param long [Array(String, Numeric)] the long ones' SQL and its parameter
        # @return [Hash] wall, cpu, objects; result: seconds that each short and each long query took
        def measure(arrivals:, long:)
          Sync { WARM_UP.times { [short(1), value(*long)] } }
          Measure.run { Sync { |task| offered(arrivals, task) { |much| value(long.first, much) } } }
        end

        # Callers whose queries sleep on the server, each again and again.
        # @return [Hash] rate (sleeps a second) after the warm-up, warm_up (seconds until 9/10 of it), opened
        def sleepers(callers:, seconds:, sleep:) = Sync { sleeping(callers, seconds) { value(SLEEP, sleep) } }.merge(opened: @db.stats[:opened])

        # One caller with many queries submitted, another with one.
        # @return [Float] seconds that this one took, at most
        def beside(many:, times:)
          Sync do |task|
            200.times { short(1) }
            Array.new(times) { beside_once(task, many) }.max
          end
        end

        # @return [Integer] connections that were ever opened for short queries of so many callers
        def opened_by(callers:, each:)
          SideBySide.run("fibers", callers) { |caller| each.times { |number| short(caller + number) } }
          @db.stats[:opened]
        end

        private

        def short(number) = value(Accounts::SELECT, Accounts.id(number, @rows))
        def value(sql, parameter) = @db.value(sql, parameter)

        def beside_once(task, many)
          flood = task.async { Array.new(many) { |number| @db.async(Accounts::SELECT, Accounts.id(number, @rows)) }.each(&:value) }
          start = Measure.now
          short(1)
          (Measure.now - start).tap { flood.wait }
        end
      end
    end
  end
end
