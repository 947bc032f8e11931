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
      # Callers with a connection of the pg gem each fetch a whole table in chunks.
      class PgChunks
        def initialize(uri:)
          @uri = uri
          @connections = []
        end

        # @return [String] the same for the same values
        def answers(**plan) = Fingerprint.of(fetch(**plan).sort_by(&:first))

        # @return [Hash] see {Measure.times}
        def measure(**plan)
          fetch(**plan)
          Measure.times { fetch(**plan).size }
        end

        private

        def fetch(kind:, callers:, size:)
          return connection(0).exec(Resources::SELECT).values if size.nil?

          callers.times { |number| connection(number) }
          chunks = Resources.chunks(size)
          SideBySide.run(kind, callers) do |number|
            rows = []
            chunks.call { |after, upto| rows.concat(connection(number).exec_prepared("chunk", [after, upto]).values) }
            rows
          end.flatten(1)
        end

        def connection(number)
          @connections[number] ||= PG.connect(@uri).tap do |connection|
            connection.type_map_for_results = PG::BasicTypeMapForResults.new(connection)
            connection.prepare("chunk", Resources::CHUNK)
          end
        end
      end
    end
  end
end
