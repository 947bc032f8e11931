# frozen_string_literal: true

module Trunkline
  module PG
    # One row of a {Result}, with the methods of PG::Tuple: its values by the columns' names or numbers.
    class Tuple
      include Enumerable

      # @return [Array] one for each column
      attr_reader :values

      # @param names [Array<String, Symbol>]
      # @param values [Array]
      def initialize(names, values) # :nodoc:
        @names = names
        @values = values
      end

      # @return [Array<String, Symbol>] names of the columns, each once
      def keys = @names.uniq

      # @param key [String, Symbol, Integer] the name of a column, or its number from 0, negative from the end
      # @return [Object, nil] nil: the value is NULL, or there is no such column
      def [](key) = (at = position_of(key)) && @values[at]

      # @param key [String, Symbol, Integer] as {#[]}
      # @return [Object, nil]
      # @raise [KeyError, IndexError] there is no such column, and neither a default nor a block
      def fetch(key, *default)
        at = position_of(key)
        return @values[at] if at
        return yield(key) if block_given?
        return default.first unless default.empty?

        raise IndexError, "Index #{key} is out of range" if key.is_a?(Integer)
        raise KeyError.new("column not found", receiver: self, key: key)
      end

      # @return [Boolean] whether there is such a column
      def key?(name) = @names.include?(name)
      alias has_key? key?

      # @return [Integer, nil] number of the column
      def index(name) = @names.rindex(name)

      # @yieldparam key [String, Symbol]
      # @yieldparam value [Object, nil]
      # @return [Tuple, Enumerator]
      def each
        return to_enum { size } unless block_given?

        keys.each { |key| yield key, self[key] }
        self
      end

      # @yieldparam value [Object, nil]
      # @return [Tuple, Enumerator]
      def each_value(&block)
        return to_enum(:each_value) { size } unless block

        @values.each(&block)
        self
      end

      # @return [Integer] number of columns
      def size = @values.size
      alias length size

      # @return [String] the names and values
      def inspect = "#<#{self.class} #{each.map { |key, value| "#{key}: #{value.inspect}" }.join(", ")}>"

      private

      def position_of(key)
        return index(key) unless key.is_a?(Integer)

        key.between?(-size, size - 1) ? key % size : nil
      end
    end
  end
end
