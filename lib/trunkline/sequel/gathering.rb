# frozen_string_literal: true

module Sequel
  module Trunkline
    # Datasets whose rows become something else than Hashes are spared the Hashes.
    module Gathering
      # @param column [Symbol, Array<Symbol>, nil]
      # @return [Array] of the column's values, or of Arrays of those of several
      def map(column = nil, &block)
        return super if column.nil? || block || !direct?

        gather([*column]) { |rows, places| column.is_a?(Array) ? arrays(rows, places) : singles(rows, places.first) }
      end

      # @param key_column [Symbol, Array<Symbol>]
      # @param value_column [Symbol, Array<Symbol>, nil] nil: the whole row
      # @param opts [Hash] hash: what to add to
      # @return [Hash] the value of the last row with a key
      def as_hash(key_column, value_column = nil, opts = OPTS)
        return super unless value_column && direct?
        return simple_hash(key_column, value_column) if !opts[:hash] && !key_column.is_a?(Array) && !value_column.is_a?(Array)

        pairs(key_column, value_column, opts[:hash] || {}) { |hash, key, value| hash[key] = value }
      end

      # @param key_column [Symbol, Array<Symbol>]
      # @param value_column [Symbol, Array<Symbol>, nil] nil: the whole row
      # @param opts [Hash] hash: what to add to
      # @return [Hash{Object => Array}] the values of all rows with a key
      def to_hash_groups(key_column, value_column = nil, opts = OPTS)
        return super unless value_column && direct?

        pairs(key_column, value_column, opts[:hash] || {}) { |groups, key, value| (groups[key] ||= []) << value }
      end

      protected

      def _select_map_multiple(columns) = direct? ? gather(columns) { |rows, places| arrays(rows, places) } : super
      def _select_map_single = direct? ? gather(nil) { |rows, _| singles(rows, 0) } : super

      private

      # Are the rows as they come what the Hashes would be made of?
      def direct? = !@opts[:graph] && !@opts[:cursor]

      # @param columns [Array<Symbol>, nil] nil: all
      # @yieldparam rows [Array<Array>] with final values in these columns
      # @yieldparam places [Array<Integer, nil>] where these columns are; nil: nowhere
      # @return [Object] what the block returned; it may not be asked at all
      def gather(columns)
        rows = places = []
        execute(sql) do |result|
          self.columns = names = column_names(result)
          places = columns ? columns.map { |column| names.rindex(column) } : [*0...names.size]
          rows = final(result.rows, places, converters(result))
        end
        yield rows, places
      end

      def final(rows, places, converters)
        chosen = converters&.map&.with_index { |converter, at| converter if places.include?(at) }
        chosen&.any? ? ::Trunkline::Postgres.convert(rows, chosen) : rows
      end

      def singles(rows, place) = rows.map { |row| row[place] if place }

      def arrays(rows, places)
        return rows if places == [*0...rows.first&.size.to_i]

        places.include?(nil) ? rows.map { |row| places.map { |place| row[place] if place } } : rows.map { |row| row.values_at(*places) }
      end

      def simple_hash(key_column, value_column)
        gather([key_column, value_column]) { |rows, places| arrays(rows, places).to_h }
      end

      # @yieldparam hash [Hash]
      # @yieldparam key [Object]
      # @yieldparam value [Object]
      # @return [Hash]
      def pairs(key_column, value_column, hash)
        keys = [*key_column]
        gather(keys + [*value_column]) do |rows, places|
          key = taker(key_column, places.first(keys.size))
          value = taker(value_column, places.drop(keys.size))
          rows.each { |row| yield hash, key.call(row), value.call(row) }
        end
        hash
      end

      # @return [#call] row -> what is asked of it
      def taker(column, places)
        return ->(row) { places.map { |place| row[place] if place } } if column.is_a?(Array)

        place = places.first
        place ? ->(row) { row[place] } : ->(_row) {}
      end
    end
  end
end
