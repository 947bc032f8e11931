# frozen_string_literal: true

require "bigdecimal"
require "pg"
require_relative "../measure"
require_relative "../data/fingerprint"
require_relative "../data/resources"

module Trunkline
  module Bench
    module Peers
      # One connection of the pg gem, a whole table, every value as a Ruby object of its type.
      class PgRows
        def initialize(uri:)
          @connection = PG.connect(uri)
          @connection.type_map_for_results = PG::BasicTypeMapForResults.new(@connection)
        end

        # @return [String] the same for the same values
        def answers = Fingerprint.of(rows)

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure = Measure.run { rows.size }

        private

        def rows = @connection.exec(Resources::SELECT).values
      end
    end
  end
end
