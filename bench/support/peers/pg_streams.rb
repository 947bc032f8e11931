# frozen_string_literal: true

require "bigdecimal"
require "pg"
require_relative "../measure"
require_relative "../side_by_side"
require_relative "../data/fingerprint"
require_relative "../data/resources"

module Trunkline
  module Bench
    module Peers
      # Callers with a connection of the pg gem each stream the first rows of a table, and then reset it or end the statement.
      class PgStreams
        CHUNK = 1000 # rows

        # @param mode [String] "single_row" or "chunked"
        # @param ending [String] "reset", as em-pg-client does; or "cancel"
        def initialize(uri:, mode:, ending:)
          @uri = uri
          @mode = mode
          @ending = ending
          @connections = []
        end

        # @return [String] the same for the same values
        def answers(rows:) = Fingerprint.of(first(connection(0), rows).map(&:values))

        # @return [Hash] see {Measure.times}
        def measure(kind:, times:, callers:, rows:)
          callers.times { |number| connection(number) }
          Measure.times { Array.new(times) { SideBySide.run(kind, callers) { |number| first(connection(number), rows).size }.sum }.sum }
        end

        private

        def connection(number)
          @connections[number] ||= PG.connect(@uri).tap { |connection| @map = PG::BasicTypeMapForResults.new(connection) }
        end

        def first(connection, count)
          rows = []
          connection.send_query(Resources::SELECT)
          @mode == "chunked" ? connection.set_chunked_rows_mode(CHUNK) : connection.set_single_row_mode
          take(connection, rows) while rows.size < count
          finish(connection)
          rows.first(count)
        end

        def take(connection, rows)
          result = connection.get_result
          result.type_map = @map
          rows.concat(result.to_a)
          result.clear
        end

        def finish(connection)
          return connection.reset if @ending == "reset"

          connection.cancel
          while (result = connection.get_result)
            result.clear
          end
        rescue PG::QueryCanceled
          connection.discard_results
        end
      end
    end
  end
end
