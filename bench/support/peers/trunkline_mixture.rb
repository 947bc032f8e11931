# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "../measure"
require_relative "../data/mixture_tasks"

module Trunkline
  module Bench
    module Peers
      # Trunkline with a fiber for every query, all started at once.
      class TrunklineMixture
        def initialize(uri:, connections:)
          @db = Trunkline.postgres(uri, connections: connections, max_connections: connections)
        end

        # @return [Hash] wall and cpu in seconds; result, the sum of what came back
        def measure(**task)
          tasks = MixtureTasks.new(**task)
          Measure.run { Sync { all_at_once(tasks) } }
        end

        private

        def all_at_once(tasks)
          tasks.map { |sql, parameter| Async { tasks.worth(@db.value(sql, parameter)) } }.sum(&:wait)
        end
      end
    end
  end
end
