# frozen_string_literal: true

require "pg"
require_relative "../measure"
require_relative "../data/copied_rows"
require_relative "../data/fingerprint"

module Trunkline
  module Bench
    module Peers
      # COPY by the pg gem with its encoder and decoder of rows, both ways.
      class PgCopy
        # @param direction [String] "in" or "out"
        def initialize(uri:, direction:)
          @connection = PG.connect(uri)
          @direction = direction
          @encoder = PG::TextEncoder::CopyRow.new(type_map: map(PG::TextEncoder, String: nil, Boolean: PG::TextEncoder::Boolean)).freeze
          @decoder = PG::TextDecoder::CopyRow.new(type_map: map(PG::TextDecoder)).freeze
        end

        # @return [String] the same for the same values
        def answers(rows:)
          copy_in(rows)
          taken = []
          copy_out { |row| taken << row }
          Fingerprint.of(taken)
        end

        # @return [Hash] wall, cpu, objects; result, the number of rows
        def measure(rows:)
          made(rows) if @direction == "in"
          Measure.run { @direction == "in" ? copy_in(rows) : copy_out { |row| row } }
        end

        private

        def map(coders, known = {})
          PG::TypeMapByColumn.new(CopiedRows::TYPES.map { |type| known.fetch(type) { coders.const_get(type) }&.new })
        end

        def copy_in(rows)
          @connection.exec("TRUNCATE copied")
          @connection.copy_data(CopiedRows::COPY_IN, @encoder) { made(rows).each { |row| @connection.put_copy_data(row) } }.cmd_tuples
        end

        def made(rows)
          @made = Array.new(rows) { |number| CopiedRows.row(number) } unless @made&.size == rows
          @made
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
