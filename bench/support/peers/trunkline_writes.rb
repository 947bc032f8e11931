# frozen_string_literal: true

require "trunkline"
require_relative "../measure"
require_relative "../side_by_side"

module Trunkline
  module Bench
    module Peers
      # Fibers that write a row each time, which is committed before they go on.
      class TrunklineWrites
        INSERT = "INSERT INTO written (side, number) VALUES ($1, $2)"
        private_constant :INSERT

        # @param side [String] column of the rows
        # @param together [Boolean] whether writes share their commits
        def initialize(uri:, side:, writers:, connections:, together:)
          @side = side
          @writers = writers
          @db = Trunkline.postgres(uri, connections: connections, max_connections: connections + 1, group_commit: together)
        end

        # @param count [Integer] rows to write
        # @return [Array<Integer>] how many there are, and the sum of their numbers
        def answers(count:)
          @db.query("DELETE FROM written WHERE side = $1", @side)
          writing { |writer| (writer...count).step(@writers) { |number| @db.query(INSERT, @side, number) } }
          @db.query("SELECT count(*), sum(number)::bigint FROM written WHERE side = $1", @side).rows.first
        end

        # @param seconds [Numeric] that all write for
        # @return [Hash] wall, cpu, objects; result, the number of rows written
        def measure(seconds:)
          Measure.run do
            over = Measure.now + seconds
            writing { |writer| write_until(over, writer) }.sum
          end
        end

        private

        def writing(&writer) = SideBySide.run("fibers", @writers, &writer)

        def write_until(over, number)
          rows = 0
          (rows += 1) && @db.query(INSERT, @side, number) while Measure.now < over
          rows
        end
      end
    end
  end
end
