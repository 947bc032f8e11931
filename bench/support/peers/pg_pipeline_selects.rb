# frozen_string_literal: true

require "async"
require_relative "../extra_gem"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # Fibers of pg_pipeline, whose client lives as long as the event loop, with a statement that is prepared on every connection.
      class PgPipelineSelects
        INTEGER = 23 # the oid of int4
        private_constant :INTEGER

        # @param version [String] of the gem
        def initialize(uri:, rows:, callers:, connections:, version:)
          ExtraGem.activate("pg_pipeline", version)
          require "pg_pipeline"
          @uri = uri
          @rows = rows
          @callers = callers
          @connections = connections
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:) = prepared { |statement| ids.map { |id| balance(statement, id) } }

        # @param count [Integer] queries, shared among the callers
        # @return [Hash] wall, cpu, objects; result, the number of queries made; connections
        def measure(count:)
          share = count / @callers
          prepared { |statement| Measure.run { select(statement, share) } }.merge(connections: @connections)
        end

        private

        def prepared
          Sync do
            PgPipeline::Client.open(@uri, pipeline_size: @connections, pinned_size: 1) do |client|
              yield client.prepare("balance", Accounts::SELECT, [INTEGER])
            end
          end
        end

        def select(statement, share)
          SideBySide.run("fibers", @callers) { |caller| select_some(statement, caller * share, share) }.size * share
        end

        def select_some(statement, first, share)
          share.times { |number| balance(statement, Accounts.id(first + number, @rows)) }
        end

        def balance(statement, id)
          result = statement.query([id])
          result.getvalue(0, 0).to_i
        ensure
          result&.clear
        end
      end
    end
  end
end
