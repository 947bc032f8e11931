# frozen_string_literal: true

module Sequel
  module Trunkline
    # Builds results other than Hashes directly from rows, without making Hashes first.
    module Gathering
      # @param column [Symbol, Array<Symbol>, nil]
      # @return [Array] of the column's values, or of Arrays of several columns' values
      def map(column = nil, &block)
        return super if column.nil? || block || !direct?

        gather([*column]) { |rows, indexes| column.is_a?(Array) ? arrays(rows, indexes) : singles(rows, indexes.first) }
      end

      # @param key_column [Symbol, Array<Symbol>]
      # @param value_column [Symbol, Array<Symbol>, nil] nil: the whole row
      # @param opts [Hash] hash: to which entries are added
      # @return [Hash] for each key, the value of its last row
      def as_hash(key_column, value_column = nil, opts = OPTS)
        return super unless value_column && direct?
        return simple_hash(key_column, value_column) if !opts[:hash] && !key_column.is_a?(Array) && !value_column.is_a?(Array)

        pairs(key_column, value_column, opts[:hash] || {}) { |hash, key, value| hash[key] = value }
      end

      # @param key_column [Symbol, Array<Symbol>]
      # @param value_column [Symbol, Array<Symbol>, nil] nil: the whole row
      # @param opts [Hash] hash: to which entries are added
      # @return [Hash{Object => Array}] for each key, the values of all its rows
      def to_hash_groups(key_column, value_column = nil, opts = OPTS)
        return super unless value_column && direct?

        pairs(key_column, value_column, opts[:hash] || {}) { |groups, key, value| (groups[key] ||= []) << value }
      end

      protected

      def _select_map_multiple(columns) = direct? ? gather(columns) { |rows, indexes| arrays(rows, indexes) } : super
      def _select_map_single = direct? ? gather(nil) { |rows, _| singles(rows, 0) } : super

      private

      # Whether the rows contain what the Hashes would.
      def direct? = !@opts[:graph] && !@opts[:cursor]

      # @param columns [Array<Symbol>, nil] nil: all
      # @yieldparam rows [Array<Array>] with final values in these columns
      # @yieldparam indexes [Array<Integer, nil>] of these columns; nil: there is no such column
      # @return [Object] what the block returned
      def gather(columns)
        rows = indexes = []
        execute(sql) do |result|
          self.columns = names = column_names(result)
          indexes = columns ? columns.map { |column| names.rindex(column) } : [*0...names.size]
          rows = final(result.rows, indexes, converters(result))
        end
        yield rows, indexes
      end

      def final(rows, indexes, converters)
        chosen = converters&.map&.with_index { |converter, at| converter if indexes.include?(at) }
        chosen&.any? ? ::Trunkline::Postgres.convert(rows, chosen) : rows
      end

      def singles(rows, index) = rows.map { |row| row[index] if index }

      def arrays(rows, indexes)
        return rows if indexes == [*0...rows.first&.size.to_i]

        indexes.include?(nil) ? rows.map { |row| indexes.map { |index| row[index] if index } } : rows.map { |row| row.values_at(*indexes) }
      end

      def simple_hash(key_column, value_column)
        gather([key_column, value_column]) { |rows, indexes| arrays(rows, indexes).to_h }
      end

      # @yieldparam hash [Hash]
      # @yieldparam key [Object]
      # @yieldparam value [Object]
      # @return [Hash]
      def pairs(key_column, value_column, hash)
        keys = [*key_column]
        gather(keys + [*value_column]) do |rows, indexes|
          key = taker(key_column, indexes.first(keys.size))
          value = taker(value_column, indexes.drop(keys.size))
          rows.each { |row| yield hash, key.call(row), value.call(row) }
        end
        hash
      end

      # @return [#call] row -> the wanted part of it
      def taker(column, indexes)
        return ->(row) { indexes.map { |index| row[index] if index } } if column.is_a?(Array)

        index = indexes.first
        index ? ->(row) { row[index] } : ->(_row) {}
      end
    end
  end
end
