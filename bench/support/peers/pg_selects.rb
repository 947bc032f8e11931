# frozen_string_literal: true

require "pg"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # Threads of the pg gem, each with a connection and a prepared statement of its own.
      class PgSelects
        def initialize(uri:, rows:, threads:)
          @rows = rows
          @connections = Array.new(threads) do
            PG.connect(uri).tap { |connection| connection.prepare("balance", Accounts::SELECT) }
          end
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:) = ids.map { |id| balance(@connections.first, id) }

        # @param count [Integer] queries, shared among the threads
        # @return [Hash] wall, cpu, objects; result, the number of queries made
        def measure(count:)
          share = count / @connections.size
          Measure.run do
            SideBySide.run("threads", @connections.size) { |index| select(@connections[index], index * share, share) }.size * share
          end
        end

        private

        def select(connection, first, share)
          share.times { |number| balance(connection, Accounts.id(first + number, @rows)) }
        end

        def balance(connection, id) = connection.exec_prepared("balance", [id]).getvalue(0, 0).to_i
      end
    end
  end
end
