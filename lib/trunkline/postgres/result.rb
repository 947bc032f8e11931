# frozen_string_literal: true

module Trunkline
  module Postgres
    # What a statement returned: rows of Ruby values, the columns' names, the number of rows it touched.
    #
    #   result = db.query("SELECT id, name FROM users")
    #   result.each { |row| puts row["name"] }
    #   result.rows    # => [[1, "Ada"], [2, "Grace"]]
    class Result
      include Enumerable

      # @return [Array<Array>] the rows, each an Array of its values in the order of {columns}
      attr_reader :rows

      # @return [Integer, nil] rows that the command selected or changed; nil where it counts none, as CREATE TABLE
      attr_reader :affected_rows

      alias values rows

      # @param rows [Array<Array>]
      # @param description [Description]
      # @param affected_rows [Integer, nil]
      # @param notices [String, nil] as ErrorFields.each takes them
      def initialize(rows, description, affected_rows, notices = nil)
        @rows = rows
        @description = description
        @affected_rows = affected_rows
        @notices = notices if notices # most results have none, and three instance variables cost no extra memory
      end

      # @return [Array<String>] names of the columns; two may be the same
      def columns = @description.columns

      # @return [Integer] number of rows
      def size = @rows.size
      alias length size

      # @return [Boolean] whether there are no rows
      def empty? = @rows.empty?

      # @return [Array<Integer>] the OIDs of the columns' types; of a domain that of what it is based on
      def types = @description.types

      # @return [Array<Integer>] of the columns' types, as pg_attribute.atttypmod has them; -1: none
      def modifiers = @description.modifiers

      # Yields each row as a Hash. Of two columns with the same name the later one wins; {rows} has both.
      #
      # @yieldparam row [Hash{String => Object}] with Symbol keys where the client was made with `keys: :symbol`
      # @return [Result, Enumerator]
      def each
        return to_enum { size } unless block_given?

        @rows.each { |row| yield named(row) }
        self
      end

      # Yields each row as a Hash with keys of the caller's own.
      #
      # @param keys [Array] one for each column; of two that are the same the later one wins
      # @param converters [Array<#call, nil>, nil] what makes the final values of a column's, but for nil, which stays; in the
      #   rows too
      # @yieldparam row [Hash]
      # @return [Result]
      def each_hash(keys, converters = nil, &block) # :nodoc:
        Postgres.each_hash(@rows, keys, converters, &block)
        self
      end

      # @param index [Integer] of a row, negative from the end
      # @return [Hash, nil]
      def [](index)
        row = @rows[index]
        named(row) if row
      end

      # @return [Object, nil] the first column of the first row
      def value = @rows.dig(0, 0)

      # @return [Array<Hash{Symbol => String, Integer}>] the fields of what the server noticed meanwhile: severity, message, ..., as
      #   {ServerError#fields} has them; the Strings are frozen
      def notices
        defined?(@notices) ? ErrorFields.enum_for(:each, @notices).to_a : []
      end

      # @return [String] sizes and names, no values
      def inspect = "#<#{self.class} #{size} rows (#{columns.join(", ")})#{" affected_rows=#{affected_rows}" if affected_rows}>"

      private

      def named(row) = @description.named(row)
    end

    # A result whose rows have Symbols for keys.
    class SymbolResult < Result
      private

      def named(row) = @description.symbolized(row)
    end
  end
end
