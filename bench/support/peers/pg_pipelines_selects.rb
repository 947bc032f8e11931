# frozen_string_literal: true

require_relative "pg_selects"

module Trunkline
  module Bench
    module Peers
      # Pipelines of the pg gem, put together by hand: a thread for each connection sends so many queries behind each other, with
      # one Sync, and then takes the answers. There are no callers that would each ask for something of their own.
      class PgPipelinesSelects < PgSelects
        # @param connections [Integer]
        # @param depth [Integer] queries of a pipeline
        def initialize(uri:, rows:, connections:, depth:)
          super(uri: uri, rows: rows, threads: connections)
          @depth = depth
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:) = ids.each_slice(@depth).flat_map { |slice| balances(@connections.first, slice) }

        private

        def select(connection, first, share)
          share.times.each_slice(@depth) do |numbers|
            balances(connection, numbers.map { |number| Accounts.id(first + number, @rows) })
          end
        end

        def balances(connection, ids)
          connection.enter_pipeline_mode
          ids.each { |id| connection.send_query_prepared("balance", [id]) }
          connection.pipeline_sync
          ids.map { balance_of(connection) }
        ensure
          connection.get_result # of the Sync
          connection.exit_pipeline_mode
        end

        def balance_of(connection)
          result = connection.get_result.check
          connection.get_result # nil: no more of this query
          result.getvalue(0, 0).to_i
        end
      end
    end
  end
end
