# frozen_string_literal: true

require "trunkline"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/fingerprint"
require_relative "../data/resources"

module Trunkline
  module Bench
    module Peers
      # Trunkline's callers stream the first rows of a table each, and leave: that ends the statement.
      class TrunklineStreams
        def initialize(uri:, mode: "stream")
          @uri = uri
          @mode = mode
        end

        # @return [String] the same for the same values
        def answers(rows:)
          with_client(1) { |db| Fingerprint.of(first(db, rows).map(&:values)) }
        end

        # @return [Hash] see {Measure.times}
        def measure(kind:, times:, callers:, rows:)
          with_client(callers) do |db|
            SideBySide.run(kind, callers) { db.session { |session| session.query("SELECT 1") } }
            Measure.times { Array.new(times) { SideBySide.run(kind, callers) { first(db, rows).size }.sum }.sum }
          end
        end

        private

        def with_client(callers) = Trunkline.postgres(@uri, connections: 1, max_connections: callers + 1) { |db| yield db }

        def first(db, count)
          rows = []
          db.stream(Resources::SELECT) do |row|
            rows << row
            break if rows.size == count
          end
          rows
        end
      end
    end
  end
end
