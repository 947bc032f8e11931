# frozen_string_literal: true

require_relative "constants"
require_relative "type_maps"

module Trunkline
  module PG
    # What a statement returned, in the shape of PG::Result, which applications and gems know.
    class Result < Postgres::Result
      include Constants

      STATUSES = { PGRES_EMPTY_QUERY => "PGRES_EMPTY_QUERY", PGRES_COMMAND_OK => "PGRES_COMMAND_OK", PGRES_TUPLES_OK => "PGRES_TUPLES_OK" }.freeze
      private_constant :STATUSES

      # @return [Integer] number of rows
      def ntuples = size
      alias num_tuples ntuples

      # @return [Integer] number of columns
      def nfields = columns.size
      alias num_fields nfields

      # @return [Integer] number of rows; with a block or a value, as Enumerable#count
      def count(*values, &block) = values.empty? && !block ? size : super

      # @param column [Integer] its number, from 0
      # @return [String, Symbol] its name
      def fname(column) = at(fields, column) { raise ArgumentError, "invalid field number #{column}" }

      # @param name [String] of a column
      # @return [Integer] its number, from 0
      def fnumber(name) = columns.index(name.to_s) || raise(ArgumentError, "Unknown field: #{name}")

      # @param column [Integer] its number, from 0
      # @return [Integer] OID of its type
      def ftype(column) = at(@description.types, column) { raise ArgumentError, "invalid field number #{column}" }

      # @param column [Integer] its number, from 0
      # @return [Integer] its type's modifier, -1 where there is none
      def fmod(column) = at(@description.modifiers, column) { raise ArgumentError, "column number #{column} is out of range" }

      # @param index [Integer] of a row
      # @return [Hash{String => Object}]
      # @raise [IndexError] there is no such row
      def [](index) = at(rows, index) { raise IndexError, "Index #{index} is out of range" } && super

      # @return [Object, nil] of one row and column
      # @raise [ArgumentError] there is none such
      def getvalue(row, column)
        values = at(rows, row) { raise ArgumentError, "invalid tuple number #{row}" }
        at(values, column) { raise ArgumentError, "invalid field number #{column}" }
      end

      # @return [Boolean] whether the value is NULL
      def getisnull(row, column) = getvalue(row, column).nil?

      # @yieldparam row [Array]
      def each_row(&block) = rows.each(&block)

      # @return [Array] the row's values
      def tuple_values(row) = at(rows, row) { raise IndexError, "invalid tuple number #{row}" }

      # @param column [Integer] its number, from 0
      # @return [Array] its values
      def column_values(column)
        at(columns, column) { raise IndexError, "no column #{column} in result" }
        rows.map { |row| row[column] }
      end

      # @param name [String] of a column
      # @return [Array] its values
      def field_values(name) = column_values(columns.index(name.to_s) || raise(IndexError, "no such field '#{name}' in result"))

      # @return [Integer] rows that the command touched; 0 where it counts none
      def cmd_tuples = affected_rows || 0
      alias cmdtuples cmd_tuples

      # @return [Integer] PG::PGRES_TUPLES_OK or PG::PGRES_COMMAND_OK
      def result_status = columns.empty? ? PGRES_COMMAND_OK : PGRES_TUPLES_OK

      # @return [Integer] bytes of the server's text; 0 for NULL
      def getlength(row, column)
        getvalue(row, column)
        (defined?(@texts) ? @texts : rows)[row][column].to_s.bytesize
      end

      # @return [Integer] 0: values come as text
      def fformat(column) = at(columns, column) { raise ArgumentError, "column number #{column} is out of range" } && 0

      # @return [Integer] 0: values come as text
      def binary_tuples = 0

      # @return [TypeMap] what the values were made by
      def type_map = @type_map || TypeMapAllStrings.new

      # Makes the values anew of the server's text.
      #
      # @param map [TypeMap]
      def type_map=(map)
        raise TypeError, "wrong argument type #{map.class} (expected kind of PG::TypeMap)" unless map.is_a?(TypeMap)

        @texts ||= @rows
        decoders = map.decoders_for(self)
        @rows = @texts.each_with_index.map do |row, at|
          row.each_with_index.map { |text, column| text.nil? || decoders[column].nil? ? text : decoders[column].decode(text, at, column) }
        end
        @type_map = map
      end

      # @param map [TypeMap]
      # @return [Result] itself
      def map_types!(map)
        self.type_map = map
        self
      end

      # @return [Symbol] :string or :symbol, of the Hashes' keys
      def field_name_type = @field_name_type || :string

      # @param type [Symbol] :string or :symbol
      # @raise [ArgumentError] it is none of these
      def field_name_type=(type)
        raise ArgumentError, "invalid argument :#{type} given" unless %i[string symbol].include?(type)

        @field_name_type = type
      end

      # @param type [Symbol] as {#field_name_type=}
      # @return [Result] itself
      def field_names_as(type)
        self.field_name_type = type
        self
      end

      # @return [Array<String, Symbol>] names of the columns
      def fields = field_name_type == :symbol ? columns.map(&:to_sym) : columns

      # Nothing to free, and nothing wrong.
      def clear = nil
      def cleared? = false

      # A result of a failed query is never returned: it is raised.
      #
      # @return [nil]
      def check = nil
      alias check_result check

      # @return [String] of the status
      def res_status(status = result_status) = STATUSES.fetch(status) { "invalid ExecStatusType code" }

      # @return [String] empty
      def error_message = ""
      alias result_error_message error_message

      # @return [nil]
      def error_field(_code) = nil
      alias result_error_field error_field

      private

      # Counted from 0, and not from the end.
      def at(list, index, &otherwise)
        raise TypeError, "no implicit conversion of #{index.class} into Integer" unless index.is_a?(Integer)

        index.negative? ? yield(index) : list.fetch(index, &otherwise)
      end

      def named(row) = field_name_type == :symbol ? @description.symbolized(row) : super
    end
  end
end
