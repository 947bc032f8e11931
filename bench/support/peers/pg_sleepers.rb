# frozen_string_literal: true

require "pg"
require_relative "../measure"
require_relative "backlog_load"

module Trunkline
  module Bench
    module Peers
      # Fibers of the pg gem, each with a connection of its own.
      class PgSleepers
        include BacklogLoad

        def initialize(uri:, callers:)
          require "async"
          @connections = Array.new(callers) { PG.connect(uri).tap { |connection| connection.prepare("long", "SELECT pg_sleep($1::float8)") } }
        end

        # @return [Hash] rate, warm_up
        def sleepers(seconds:, sleep:)
          free = @connections.dup
          Sync do
            sleeping(@connections.size, seconds) do
              connection = free.pop
              connection.exec_prepared("long", [sleep])
              free.push(connection)
            end
          end
        end
      end
    end
  end
end
