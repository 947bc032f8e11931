# frozen_string_literal: true

require_relative "kept_description"
require_relative "other_readers"
require_relative "result_table"

module Trunkline
  module Postgres
    # What a statement returned: rows of Ruby values, the names of the columns, and the number of affected rows.
    #
    #   result = db.query("SELECT id, name FROM users")
    #   result.each { |row| puts row["name"] }
    #   result.rows    # => [[1, "Ada"], [2, "Grace"]]
    class Result
      include Enumerable
      include OtherReaders

      # Set by Request#result in C, too, which does not call {initialize}, in this order.
      INSTANCE_VARIABLES = %i[@rows @description @affected_rows].freeze
      private_constant :INSTANCE_VARIABLES

      # @return [Array<Array>] the rows, each an Array of its values in the order of {columns}
      attr_reader :rows

      # @return [Integer, nil] rows that the command selected or changed; nil: it does not count them, as CREATE TABLE
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
        @notices = notices if notices # most results have none, and objects with three instance variables need no extra memory
      end

      # @return [Array<String>] names of the columns; two may be the same
      def columns = @description.columns
      alias fields columns

      # @return [Integer] number of rows
      def size = @rows.size
      alias length size

      # @return [Boolean] whether there are no rows
      def empty? = @rows.empty?

      # @return [Array<Integer>] the OIDs of the columns' types; for a domain, of its base type
      def types = @description.types

      # @return [Array<Integer>] the columns' type modifiers (pg_attribute.atttypmod); -1: none
      def modifiers = @description.modifiers

      # Yields each row as a Hash. Of two columns with the same name the later one applies; {rows} has both.
      #
      # @yieldparam row [Hash{String => Object}] with Symbol keys if the client was made with `keys: :symbol`
      # @return [Result, Enumerator]
      def each
        return to_enum { size } unless block_given?

        @rows.each { |row| yield named(row) }
        self
      end

      # Yields each row as a Hash, even if {each} yields records.
      #
      # @yieldparam row [Hash]
      # @return [Result, Enumerator]
      def each_hash
        return to_enum(:each_hash) { size } unless block_given?

        @rows.each { |row| yield named(row) }
        self
      end

      # @param index [Integer] of a row, negative from the end
      # @return [Hash, nil]
      # @raise [TypeError] it is not an Integer; a column's name goes after the row's number, as in result[0]["name"], or to {#column}
      def [](index)
        unless Integer === index
          raise TypeError, "a row has a number, not #{Argument.shown(index)}: a value is result[0][\"name\"], and all of a column are result.column(\"name\")"
        end

        row = @rows[index] if index.between?(-size, size - 1)
        named(row) if row
      end

      # @param count [Integer, nil] of rows; nil: one
      # @return [Hash, nil, Array<Hash>] the last row, or nil if there is none; or that many of the last rows
      # @raise [ArgumentError] the count is not an Integer from 0
      def last(count = nil)
        raise ArgumentError, "last takes a number of rows, not #{Argument.shown(count)}" unless nil == count || (Argument.is?(count, Integer) && !count.negative?)

        count ? ([size - count, 0].max...size).map { |at| self[at] } : self[-1]
      end

      # @return [Object, nil] the first column of the first row
      def value = @rows.dig(0, 0)

      # @param which [Integer, String, Symbol] the column's number, from 0 and negative from the end, or its name; of two with the same name the later
      #   one
      # @return [Array] its values, one for each row
      # @raise [IndexError] there is no such column
      def column(which = 0)
        at = which.is_a?(Integer) ? which : columns.rindex(which.to_s)
        unless at&.between?(-columns.size, columns.size - 1)
          raise IndexError, "there is no column #{which}: #{columns.empty? ? "the statement returned none" : "there are #{columns.join(", ")}"}"
        end

        @rows.map { |row| row[at] }
      end

      # Converts the rows to objects.
      #
      #   User = Struct.new(:id, :name)
      #   db.query("SELECT id, name FROM users").as(User).first   # => #<struct User id=1, name="Ada">
      #
      # @param type [Class] a Struct, whose members are set by the columns' names; or one whose `new` takes the columns as keywords, as Data does
      # @return [RecordResult] which yields these objects; {rows}, {each_hash} and {column} are unchanged
      # @raise [ArgumentError] the Struct has no member for a column; and what `new` raises
      # @raise [TypeError] it is not a class
      def as(type) = RecordResult.new(self, Records.of(type, columns, @rows), @description)

      # @return [Array<Hash{Symbol => String, Integer}>] the fields of the server's notices during the statement: severity, message, ..., as
      #   {ServerError#fields}; the Strings are frozen
      def notices
        defined?(@notices) ? ErrorFields.enum_for(:each, @notices).to_a : []
      end

      # @return [String] an Array of the rows, objects with the columns' names, as JSON; values of classes that JSON does not have are Strings
      # @raise [JSON::GeneratorError] a value has no form in JSON: infinity, bytes that are no text
      def to_json(*options) = each_hash.to_a.to_json(*options)

      # Shows the first rows as a table, if IRB or pp shows the result itself; within another object, sizes and names. IRB would colour what stands in
      # a table as if it were Ruby: an apostrophe would begin a string.
      def pretty_print(output) # :nodoc:
        return output.text(inspect) unless PrettyPrint === output && output.indent.zero?

        PrettyPrint.instance_method(:text).bind_call(output, ResultTable.new(self, output.maxwidth).to_s)
      end

      # @return [String] sizes and names, no values
      def inspect = "#<#{self.class} #{size} rows (#{columns.join(", ")})#{" affected_rows=#{affected_rows}" if affected_rows}>"

      private

      # For Marshal, and so for caches. A loaded result has everything that the original had.
      def marshal_dump = [@rows, columns, types, modifiers, @affected_rows, defined?(@notices) ? @notices : nil]

      def marshal_load(kept)
        rows, columns, types, modifiers, affected_rows, notices = kept
        initialize(rows, KeptDescription.new(columns, types, modifiers), affected_rows, notices)
      end

      def named(row) = @description.named(row)
    end

    # A result whose rows have Symbols as keys.
    class SymbolResult < Result
      private

      def named(row) = @description.symbolized(row)
    end
  end
end

require_relative "record_result"
