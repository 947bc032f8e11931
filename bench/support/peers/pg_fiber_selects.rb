# frozen_string_literal: true

require_relative "../side_by_side"
require_relative "pg_selects"

module Trunkline
  module Bench
    module Peers
      # Fibers that take turns with a few connections of the pg gem.
      class PgFiberSelects < PgSelects
        # @param callers [Integer]
        # @param connections [Integer]
        def initialize(uri:, rows:, callers:, connections:)
          super(uri: uri, rows: rows, threads: connections)
          @callers = callers
        end

        # @param count [Integer] queries, shared among the callers
        # @return [Hash] wall, cpu, objects; result, the number of queries made
        def measure(count:)
          share = count / @callers
          Measure.run do
            SideBySide.run("fibers", @callers) { |caller| select_in_turn(caller * share, share) }.size * share
          end
        end

        private

        def select_in_turn(first, share)
          share.times { |number| with_connection { |connection| balance(connection, Accounts.id(first + number, @rows)) } }
        end

        def with_connection
          @free ||= Thread::Queue.new(@connections)
          connection = @free.pop
          yield connection
        ensure
          @free << connection
        end
      end
    end
  end
end
