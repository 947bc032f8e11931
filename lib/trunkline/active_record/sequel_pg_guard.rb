# frozen_string_literal: true

require "set"
require_relative "../pg/pg"

module Trunkline
  module ActiveRecord
    # sequel_pg reads the memory of libpq's results without checking their class: a result of a raw connection, passed to it by
    # sequel-activerecord_connection, would crash the process. Here such results are read by their methods, and yielded in the forms that sequel_pg's
    # datasets expect.
    module SequelPgGuard # :nodoc:
      # For Sequel::Postgres::Dataset.
      module Reading
        private

        def yield_hash_rows(result, columns, &block)
          return super unless result.is_a?(PG::Result)

          yield_rows(result, &block)
        end

        # One result for each row, as in single-row mode.
        def yield_each_row(connection, &block)
          return super unless connection.is_a?(PG::Shape)

          while (result = connection.get_result)
            result.check
            yield_rows(result, &block)
          end
        end

        def yield_rows(result, &block)
          self.columns = result.fields.map { |name| output_identifier(name) }
          decoders = Array.new(result.nfields) { |column| db.conversion_procs[result.ftype(column)] }
          rows = result.each_row.map { |row| row.zip(decoders).map { |value, decoder| value && decoder ? decoder.call(value) : value } }
          type = opts[:_sequel_pg_type]
          type ? FORMS.fetch(type).call(rows, self.columns, opts[:_sequel_pg_value], block) : rows.each { |row| yield(self.columns.zip(row).to_h) }
        end
      end

      # The forms of sequel_pg's datasets: each takes rows, their columns, the wanted columns or the model, and the block.
      FORMS = {
        all: ->(rows, columns, _, block) { block.call(rows.map { |row| columns.zip(row).to_h }) },
        model: ->(rows, columns, model, block) { rows.each { |row| block.call(model.call(columns.zip(row).to_h)) } },
        all_model: ->(rows, columns, model, block) { block.call(rows.map { |row| model.call(columns.zip(row).to_h) }) },
        map: ->(rows, columns, wanted, block) { picked(rows, columns, wanted).each(&block) },
        map_array: ->(rows, columns, wanted, block) { block.call(picked(rows, columns, wanted)) },
        map_set: ->(rows, columns, wanted, block) { block.call(picked(rows, columns, wanted).to_set) },
        first: ->(rows, _, _, block) { rows.each { |row| block.call(row.first) } },
        first_array: ->(rows, _, _, block) { block.call(rows.map(&:first)) },
        first_set: ->(rows, _, _, block) { block.call(rows.to_set(&:first)) },
        array: ->(rows, _, _, block) { rows.each(&block) },
        array_array: ->(rows, _, _, block) { block.call(rows) },
        array_set: ->(rows, _, _, block) { block.call(rows.to_set) },
        hash: ->(rows, columns, wanted, block) { block.call(pairs(rows, columns, wanted).to_h) },
        hash_groups: ->(rows, columns, wanted, block) { block.call(pairs(rows, columns, wanted).group_by(&:first).transform_values { |group| group.map(&:last) }) }
      }.freeze
      private_constant :Reading, :FORMS

      class << self
        # Prepends itself to sequel_pg, once that is loaded.
        def begin
          return unless defined?(::Sequel::Postgres::Dataset)

          dataset = ::Sequel::Postgres::Dataset
          dataset.prepend(Reading) if dataset.private_method_defined?(:allow_sequel_pg_optimization?) && !dataset.include?(Reading)
        end

        private

        def picked(rows, columns, wanted)
          places = Array(wanted).map { |name| columns.index(name) }
          rows.map { |row| wanted.is_a?(Array) ? places.map { |at| at && row[at] } : places.first && row[places.first] }
        end

        def pairs(rows, columns, wanted) = picked(rows, columns, wanted.first).zip(picked(rows, columns, wanted.last))
      end
    end
    private_constant :SequelPgGuard
  end
end
