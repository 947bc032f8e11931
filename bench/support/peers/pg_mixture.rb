# frozen_string_literal: true

require "pg"
require_relative "../measure"
require_relative "../data/mixture_tasks"

module Trunkline
  module Bench
    module Peers
      # One connection of the pg gem, one query after the other: the caller blocks.
      class PgMixture
        def initialize(uri:)
          @connection = PG.connect(uri)
          @prepared = {}
        end

        # @return [Hash] wall and cpu in seconds; result, the sum of what came back
        def measure(**task)
          tasks = MixtureTasks.new(**task)
          Measure.run { tasks.sum { |sql, parameter| tasks.worth(value(sql, parameter)) } }
        end

        private

        def value(sql, parameter)
          name = @prepared[sql] ||= "s#{@prepared.size}".tap { |new_name| @connection.prepare(new_name, sql) }
          @connection.exec_prepared(name, [parameter]).getvalue(0, 0)
        end
      end
    end
  end
end
