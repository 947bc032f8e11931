# frozen_string_literal: true

module Trunkline
  module Postgres
    # The table or query of a COPY statement. The protocol does not report the types of its columns, so they are described by a query for the same
    # columns.
    class CopySource # :nodoc:
      # @param statement [Statement]
      # @param responses [ResponseReader]
      # @raise [ArgumentError] it is not COPY FROM STDIN or TO STDOUT
      def initialize(statement, responses)
        @sql = statement.sql
        @responses = responses
        @table, @columns, @query, @plain = statement.copy
        return if (@table || @query) && statement.classification != :script

        raise ArgumentError, "COPY ... FROM STDIN or COPY ... TO STDOUT is needed (SQL: #{ShortenedSQL.call(@sql)})"
      end

      # @return [String] of the COPY
      attr_reader :sql

      # Whether rows can be Arrays.
      def plain? = @plain

      # @return [String] SQL of a query that returns the copied columns
      def equivalent = @query || "SELECT #{@columns || "*"} FROM #{@table}"

      # @param request [Request] answered Describe of {#equivalent}
      def describe(request) = @description = @responses.description(request)

      # @return [Description, nil] by which rows are decoded; nil: they are returned undecoded
      attr_reader :description

      # @return [Array<Integer>] the columns' types, resolved to built-in ones
      def types = @types ||= @responses.parameter_types(@description.types)

      # @return [#check, nil] raises for a nil in an Array; nil: the server accepts it
      attr_reader :array_nulls

      # Looks up what the values need, as no query can be sent during the COPY.
      def prepare_rows
        @array_nulls = @responses.array_nulls.off if types.any? { |type| !Parameters::OIDs.scalar_name(type) }
      end

      # @param copy [Copy] begun, TO STDOUT
      # @yieldparam row [Array, String]
      def each_row(copy, &block)
        check(copy) if @description
        until (rows = copy.rows).empty?
          @responses.finish_rows(@description, rows) if @description
          rows.each(&block)
        end
      end

      # @raise [ArgumentError] rows cannot be Arrays
      def check_plain
        return if @plain

        refuse("rows can be Arrays in COPY's text format without further options, and in FORMAT binary: with these options they are Strings")
      end

      # @raise [ArgumentError] the columns are not those that were described, or cannot be written in binary
      def check(copy)
        if @description.columns.size != copy.columns
          refuse("the COPY has #{copy.columns} columns, the table #{@description.columns.size}, as some are generated: name the columns")
        end
        refuse("there is a column that has no binary form here: use the text format") if copy.binary? && !@description.binary?
      end

      private

      def refuse(reason)
        raise ArgumentError, "#{reason} (SQL: #{ShortenedSQL.call(@sql)})"
      end
    end
    private_constant :CopySource
  end
end
