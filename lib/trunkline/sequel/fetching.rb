# frozen_string_literal: true

module Sequel
  module Trunkline
    # How a Dataset fetches its rows.
    module Fetching
      # @yieldparam row [Hash{Symbol => Object}]
      def fetch_rows(sql, &block)
        return cursor_fetch_rows(sql, &block) if @opts[:cursor]

        execute(sql) do |result|
          self.columns = names = column_names(result)
          ::Trunkline::Postgres.each_hash(result.rows, names, converters(result), &block)
        end
      end

      # As in sequel_pg, but without effect: models are loaded with as few calls as Hashes in any case.
      #
      # @param value [Boolean]
      # @return [Dataset]
      def with_optimize_model_load(value) = clone(optimize_model_load: value)

      private

      def column_names(result) = result.columns.map { |name| output_identifier(name) }

      def converters(result) = db.converters(result.types)
    end
  end
end
