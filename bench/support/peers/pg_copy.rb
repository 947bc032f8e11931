# frozen_string_literal: true

require "pg"
require_relative "copies"

module Trunkline
  module Bench
    module Peers
      # COPY by the pg gem with its encoder and decoder of rows, both ways.
      class PgCopy
        include Copies

        # @param direction [String] "in" or "out"
        def initialize(uri:, direction:)
          @connection = PG.connect(uri)
          @direction = direction
          @encoder = PG::TextEncoder::CopyRow.new(type_map: map(PG::TextEncoder, String: nil, Boolean: PG::TextEncoder::Boolean)).freeze
          @decoder = PG::TextDecoder::CopyRow.new(type_map: map(PG::TextDecoder)).freeze
        end

        private

        def map(coders, known = {})
          PG::TypeMapByColumn.new(CopiedRows::TYPES.map { |type| known.fetch(type) { coders.const_get(type) }&.new })
        end

        def copy_in(rows)
          @connection.exec("TRUNCATE copied")
          @connection.copy_data(CopiedRows::COPY_IN, @encoder) { made(rows).each { |row| @connection.put_copy_data(row) } }.cmd_tuples
        end

        def copy_out
          @connection.copy_data(CopiedRows::COPY_OUT, @decoder) do
            while (row = @connection.get_copy_data)
              yield row
            end
          end.cmd_tuples
        end
      end
    end
  end
end
