# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # What a statement returned, in the shape of PG::Result, which applications and gems know.
    class Result < Postgres::Result
      # What each column holds, for ActiveRecord.
      attr_reader :description # :nodoc:

      alias ntuples size
      alias num_tuples size

      # @return [Integer] number of columns
      def nfields = columns.size
      alias num_fields nfields

      # @return [Integer] number of rows; with a block or a value, as Enumerable#count
      def count(*values, &block) = values.empty? && !block ? size : super

      # @param column [Integer] its number, from 0
      # @return [String] its name
      def fname(column) = columns.fetch(column) { raise ArgumentError, "invalid field number #{column}" }

      # @param name [String] of a column
      # @return [Integer] its number, from 0
      def fnumber(name) = columns.index(name.to_s) || raise(IndexError, "Unknown field: #{name}")

      # @param column [Integer] its number, from 0
      # @return [Integer] OID of its type
      def ftype(column) = @description.types.fetch(column) { raise ArgumentError, "invalid field number #{column}" }

      # @param column [Integer] its number, from 0
      # @return [Integer] its type's modifier, -1 where there is none
      def fmod(column) = @description.modifiers.fetch(column) { raise ArgumentError, "column number #{column} is out of range" }

      # @param index [Integer] of a row
      # @return [Hash{String => Object}]
      # @raise [IndexError] there is no such row
      def [](index) = super || raise(IndexError, "Index #{index} is out of range")

      # @return [Object, nil] of one row and column
      # @raise [ArgumentError] there is none such
      def getvalue(row, column)
        values = rows.fetch(row) { raise ArgumentError, "invalid tuple number #{row}" }
        values.fetch(column) { raise ArgumentError, "invalid field number #{column}" }
      end

      # @return [Boolean] whether the value is NULL
      def getisnull(row, column) = getvalue(row, column).nil?

      # @yieldparam row [Array]
      def each_row(&block) = rows.each(&block)

      # @return [Array] the row's values
      def tuple_values(row) = rows.fetch(row) { raise IndexError, "invalid tuple number #{row}" }

      # @param column [Integer] its number, from 0
      # @return [Array] its values
      def column_values(column)
        fname(column)
        rows.map { |row| row[column] }
      end

      # @param name [String] of a column
      # @return [Array] its values
      def field_values(name) = column_values(fnumber(name))

      # @return [Integer] rows that the command touched; 0 where it counts none
      def cmd_tuples = affected_rows || 0
      alias cmdtuples cmd_tuples

      # @return [Integer] PG::PGRES_TUPLES_OK or PG::PGRES_COMMAND_OK
      def result_status = columns.empty? ? ::PG::PGRES_COMMAND_OK : ::PG::PGRES_TUPLES_OK

      # Most values are decoded already.
      #
      # @param decoders [Hash{Integer => #call}, Object] by the OID of a type, gets the server's text; anything else changes nothing
      # @return [Result] itself
      def map_types!(decoders)
        return self unless decoders.is_a?(Hash)

        @description.types.each_with_index do |type, column|
          decoder = decoders[type]
          rows.each { |row| row[column] &&= decoder.call(row[column]) } if decoder
        end
        self
      end

      # Nothing to free, and nothing wrong.
      def clear = nil
      def cleared? = false
      def check = nil
      alias check_result check

      # @return [String] empty
      def error_message = ""

      # @return [nil]
      def error_field(_code) = nil
    end
  end
end
