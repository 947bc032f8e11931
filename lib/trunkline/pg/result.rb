# frozen_string_literal: true

require_relative "constants"
require_relative "decoded_rows"
require_relative "result_errors"
require_relative "streamed_rows"
require_relative "type_maps"
require_relative "tuple"

module Trunkline
  module PG
    # The result of a statement, with the methods of PG::Result, which applications and gems use.
    class Result < Postgres::Result
      include Constants
      include StreamedRows

      STATUSES = %w[
        PGRES_EMPTY_QUERY PGRES_COMMAND_OK PGRES_TUPLES_OK PGRES_COPY_OUT PGRES_COPY_IN PGRES_BAD_RESPONSE PGRES_NONFATAL_ERROR PGRES_FATAL_ERROR
        PGRES_COPY_BOTH PGRES_SINGLE_TUPLE PGRES_PIPELINE_SYNC PGRES_PIPELINE_ABORTED PGRES_TUPLES_CHUNK
      ].freeze
      # Replaces the contents of a cleared result.
      CLEARED = Object.new.tap do |cleared|
        def cleared.method_missing(name, *) = raise(ResultErrors.namespace::Error, "result has been cleared (#{name})")
        def cleared.respond_to_missing?(_name, _private = false) = false
        def cleared.size = raise(ResultErrors.namespace::Error, "result has been cleared")
      end
      # What is kept of the answer besides its rows.
      Details = Struct.new(:tag, :format, :status, :parameters, :source)
      NO_DETAILS = Details.new.freeze
      private_constant :STATUSES, :CLEARED, :Details, :NO_DETAILS

      # @param status [Integer]
      # @return [String] its name
      def self.res_status(status) = status.is_a?(Integer) && status >= 0 && STATUSES[status] || "invalid ExecStatusType code"

      # @param tag [String, nil] the command tag; nil: it was not kept
      # @param format [Symbol] :text or :binary
      # @param status [Integer, nil] one of the PGRES_ constants; nil: derived from the columns
      # @param parameters [Array<Integer>, nil] OIDs, for a described statement
      # @param source [Object, nil] of the next rows, for one row of many
      # @return [Result] itself
      def with_details(tag, format = :text, status: nil, parameters: nil, source: nil) # :nodoc:
        @details = Details.new(tag, format, status, parameters, source)
        self
      end

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
      def fnumber(name) = columns.index(name.to_s) || columns.index(folded(name.to_s)) || raise(ArgumentError, "Unknown field: #{name}")

      # @param column [Integer] its number, from 0
      # @return [Integer] OID of its type
      def ftype(column) = at(@description.types, column) { raise ArgumentError, "invalid field number #{column}" }

      # @param column [Integer] its number, from 0
      # @return [Integer] its type's modifier, -1: none
      def fmod(column) = at(@description.modifiers, column) { raise ArgumentError, "column number #{column} is out of range" }

      # @param column [Integer] its number, from 0
      # @return [Integer] OID of the table that it comes from; 0: none
      def ftable(column) = origin(column)[0]

      # @param column [Integer] its number, from 0
      # @return [Integer] its number in that table, from 1; 0: it is not from a table
      def ftablecol(column) = origin(column)[1]

      # @param column [Integer] its number, from 0
      # @return [Integer] bytes of a value on the server; -1: variable
      def fsize(column) = origin(column)[2]

      # @param column [Integer] its number, from 0
      # @return [Integer] 0: its values are text; 1: in the binary format
      def fformat(column) = at(columns, column) { raise ArgumentError, "column number #{column} is out of range" } && binary_tuples

      # @return [Integer] 0: values are text; 1: in the binary format
      def binary_tuples = (details.format == :binary && !columns.empty? ? 1 : 0)

      # @return [Symbol] :text or :binary
      def fformat_of_all = details.format || :text # :nodoc:

      # @return [Array<Array>] copies of the rows
      def values = rows.map(&:dup)

      # @yieldparam row [Hash{String => Object}] with Symbol keys after {#field_names_as}
      # @return [Result, Enumerator]
      def each
        check
        return to_enum { size } unless block_given?

        super
      end

      # @param index [Integer] of a row
      # @return [Hash{String => Object}]
      # @raise [IndexError] there is no such row
      def [](index) = at(rows, index) { raise IndexError, "Index #{index} is out of range" } && super

      # @return [Object, nil] of one row and column
      # @raise [ArgumentError] there is no such row or column
      def getvalue(row, column)
        values = at(rows, row) { raise ArgumentError, "invalid tuple number #{row}" }
        at(values, column) { raise ArgumentError, "invalid field number #{column}" }
      end

      # @return [Boolean] whether the value is NULL
      def getisnull(row, column) = getvalue(row, column).nil?

      # @return [Integer] bytes that the server sent; 0 for NULL
      def getlength(row, column)
        getvalue(row, column)
        sent[row][column].to_s.bytesize
      end

      # @return [String, nil] as the server sent it
      def sent_value(row, column) = sent[row][column] # :nodoc:

      # @yieldparam row [Array]
      def each_row(&block) = block ? (rows.each { |row| yield row.dup }; self) : to_enum(:each_row) { size }

      # @return [Array] the row's values
      def tuple_values(row) = at(rows, row) { raise IndexError, "invalid tuple number #{row}" }.dup

      # @param row [Integer] its number, from 0
      # @return [Tuple] the row
      def tuple(row) = Tuple.new(field_name_type == :symbol ? columns.map(&:to_sym) : columns, tuple_values(row))

      # @yieldparam row [Tuple]
      def each_tuple = block_given? ? (size.times { |row| yield tuple(row) }; self) : to_enum(:each_tuple) { size }

      # @param column [Integer] its number, from 0
      # @return [Array] its values
      def column_values(column)
        at(columns, column) { raise IndexError, "no column #{column} in result" }
        rows.map { |row| row[column] }
      end

      # @param name [String, Symbol] of a column
      # @return [Array] its values
      def field_values(name)
        raise TypeError, "wrong argument type #{name.class} (expected String or Symbol)" unless name.is_a?(String) || name.is_a?(Symbol)

        column_values(columns.index(name.to_s) || raise(IndexError, "no such field '#{name}' in result"))
      end

      # @return [String, nil] the command tag: "INSERT 0 1"
      def cmd_status = details.tag

      # @return [Integer] rows that the command affected; 0 if it does not count them
      def cmd_tuples = affected_rows || 0
      alias cmdtuples cmd_tuples

      # @return [nil] rows have no OIDs in the versions of PostgreSQL that are supported
      def oid_value = nil

      # @return [Integer] parameters of a described statement; 0 for an executed one
      def nparams = details.parameters.to_a.size

      # @param number [Integer] of a parameter, from 0
      # @return [Integer, nil] OID of its type
      def paramtype(number) = details.parameters.to_a[number]

      # @return [Integer] one of the PGRES_ constants
      def result_status = details.status || status_of_columns

      # @return [String] of the status
      def res_status(status = result_status) = Result.res_status(status)

      # @return [TypeMap] by which the values were decoded
      def type_map = @type_map || TypeMapAllStrings.new

      # Decodes the values again from what the server sent.
      #
      # @param map [TypeMap] of this module, or of the pg gem
      # @raise [TypeError] it is not a type map
      def type_map=(map)
        decode_by(TypeMap.reading(map), map)
      end

      # @param reading [TypeMap] of this module, by which the map is read
      # @param map [TypeMap]
      def decode_by(reading, map) # :nodoc:
        decoders = reading.fit_to_result(self).decoders_for(self)
        @sent ||= @rows
        @rows = DecodedRows.of(@sent, decoders)
        @type_map = map
      end

      # @param map [TypeMap]
      # @return [Result] itself
      def map_types!(map)
        self.type_map = map
        self
      end

      # @return [Symbol] :string or :symbol, for the Hashes' keys
      def field_name_type = @field_name_type || :string

      # @param type [Symbol] :string, :symbol or :static_symbol
      # @raise [ArgumentError] it is none of these
      def field_name_type=(type)
        raise ArgumentError, "invalid argument #{type.inspect}" unless %i[string symbol static_symbol].include?(type)

        @field_name_type = type == :static_symbol ? :symbol : type
      end

      # @param type [Symbol] as {#field_name_type=}
      # @return [Result] itself
      def field_names_as(type)
        self.field_name_type = type
        self
      end

      # @return [Array<String, Symbol>] names of the columns
      def fields = columns.map(&(field_name_type == :symbol ? :to_sym : :itself))

      # Drops the rows: later calls raise PG::Error.
      #
      # @return [nil]
      def clear
        @rows = @description = CLEARED
        @sent = nil
      end

      # @return [Boolean]
      def cleared? = CLEARED.equal?(@rows)

      # @return [Boolean] false: a cleared result is collected like any object
      def autoclear? = false

      # Raises the error of a failed query. {Connection#get_result} returns such a result; exec and the like have raised.
      #
      # @return [Result] itself
      # @raise [PG::Error]
      def check = self
      alias check_result check

      # @return [String] of a failed query; empty
      def error_message = ""
      alias result_error_message error_message

      # @return [String] the same
      def verbose_error_message(*) = error_message
      alias result_verbose_error_message verbose_error_message

      # @param _code [Integer] one of PG's PG_DIAG_ constants
      # @return [String, nil] of a failed query
      def error_field(_code) = nil
      alias result_error_field error_field

      # @return [String] its status and sizes; no values
      def inspect
        return "#<#{self.class} cleared>" if cleared?

        "#<#{self.class} status=#{res_status} ntuples=#{ntuples} nfields=#{nfields} cmd_tuples=#{cmd_tuples}>"
      end

      private

      def details = defined?(@details) ? @details : NO_DETAILS

      def status_of_columns
        return PGRES_TUPLES_OK unless columns.empty? && !cmd_status.to_s.start_with?("SELECT")

        cmd_status == "" ? PGRES_EMPTY_QUERY : PGRES_COMMAND_OK
      end

      # The values as the server sent them.
      def sent = (defined?(@sent) && @sent) || rows

      def origin(column) = at(@description.origins, column) { raise ArgumentError, "invalid column number #{column}" }

      # Folds a name as the server does: to lower case, unless it is in double quotes.
      def folded(name) = name.start_with?('"') ? name[1..].delete_suffix('"').gsub('""', '"') : name.downcase

      # Accepts no negative index.
      def at(list, index, &otherwise)
        raise TypeError, "no implicit conversion of #{index.class} into Integer" unless index.is_a?(Integer)

        index.negative? ? yield(index) : list.fetch(index, &otherwise)
      end

      def named(row) = field_name_type == :symbol ? @description.symbolized(row) : super
    end
  end
end
