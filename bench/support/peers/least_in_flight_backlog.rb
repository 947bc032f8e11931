# frozen_string_literal: true

require_relative "trunkline_backlog"

module Trunkline
  module Bench
    module Peers
      # The same over as many connections from the beginning, each of which takes whatever is sent there: every query goes where
      # the fewest are in flight.
      class LeastInFlightBacklog < TrunklineBacklog
        def initialize(uri:, rows:, connections:, max_connections:)
          @rows = rows
          clients = Array.new([connections, max_connections].max) { Trunkline.postgres(uri, connections: 1, max_connections: 2) }
          @in_flight = clients.to_h { |client| [client, 0] }.compare_by_identity
          clients.each { |client| client.value("SELECT 1") }
        end

        private

        def value(sql, parameter)
          client, = @in_flight.min_by(&:last)
          @in_flight[client] += 1
          client.value(sql, parameter)
        ensure
          @in_flight[client] -= 1
        end
      end
    end
  end
end
