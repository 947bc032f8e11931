# frozen_string_literal: true

require "bigdecimal"
require "pg"
require_relative "../data/typed_values"
require_relative "whole_table"

module Trunkline
  module Bench
    module Peers
      # The pg gem with decoders for every type, each connection in a thread of its own, with its share of the rows.
      class PgTypedRows
        include WholeTable

        def initialize(uri:, connections:)
          @connections = Array.new(connections) { connect(uri) }
        end

        private

        # It knows no uuid, and would warn of it.
        def connect(uri)
          registry = PG::BasicTypeRegistry.new.register_default_types
          registry.alias_type(0, "uuid", "text")
          PG.connect(uri).tap { |one| one.type_map_for_results = PG::BasicTypeMapForResults.new(one, registry: registry) }
        end

        def rows
          share = TypedValues::ROWS / @connections.size
          return part(@connections.first, 0, share) if @connections.one?

          @connections.map.with_index { |connection, number| Thread.new { part(connection, number, share) } }.flat_map(&:value)
        end

        def part(connection, number, share)
          connection.exec_params(TypedValues::SELECT, [(number * share) + 1, (number + 1) * share]).values
        end
      end
    end
  end
end
