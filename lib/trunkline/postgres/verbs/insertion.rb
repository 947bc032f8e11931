# frozen_string_literal: true

require_relative "../parameters/parameter"

module Trunkline
  module Postgres
    # The SQL and the parameters of an insertion.
    class Insertion # :nodoc:
      # Values with the same text in an array of any type.
      PLAIN = [Integer, Float, TrueClass, FalseClass, NilClass].freeze
      # Types whose names in SQL mean a length of one: character and bit, and arrays of these.
      UNBOUNDED = { 1042 => "pg_catalog.bpchar", 1014 => "pg_catalog.bpchar[]", 1560 => "pg_catalog.\"bit\"", 1561 => "pg_catalog.\"bit\"[]" }.freeze
      # Types of pg_catalog: as the name of a type, such a name does not mean the table's.
      BUILTIN = /\A(?:pg_|reg|any|(?:
        bool|bytea|char|name|int[248]|int2vector|text|oid|tid|xid8?|cid|oidvector|xml|jsonb?|jsonpath|money|point|lseg|path|box|polygon|line|circle|float[48]|unknown|macaddr8?|
        inet|cidr|aclitem|bpchar|varchar|date|time|timetz|timestamp|timestamptz|interval|bit|varbit|numeric|refcursor|uuid|g?tsvector|tsquery|txid_snapshot|record|cstring|void|
        trigger|event_trigger|internal|opaque|\w+_handler|(?:int[48]|num|ts|tstz|date)(?:multi)?range
      )\z)/x
      private_constant :PLAIN, :UNBOUNDED, :BUILTIN

      # @return [Array<Array>] values, in the order of the columns
      attr_reader :rows

      # @param quoting [Escaping]
      # @param table [Symbol, String, Array]
      # @param rows [Hash, #to_h, Enumerable]
      # @param returning [Symbol, String, Array, true, nil]
      def initialize(quoting, table, rows, returning)
        @quoting = quoting
        @table = quoted(checked(table), ".")
        @comparable = Array === table || !BUILTIN.match?(table.to_s)
        @returning = " RETURNING #{returning == true ? "*" : quoted(returning, ", ")}" if returning
        hashes = row?(rows) ? [hash_of(rows)] : rows.map { |row| hash_of(row) }
        @names = hashes.first.to_h.keys
        @rows = hashes.each_with_index.map { |hash, at| values(hash, at) }
      end

      # @return [String] SQL for one row, with a parameter for each column
      def one_row
        return "INSERT INTO #{@table} DEFAULT VALUES#{@returning}" if @names.empty?

        "INSERT INTO #{@table} (#{quoted(@names, ", ")}) VALUES (#{(1..@names.size).map { |number| "$#{number}" }.join(", ")})#{@returning}"
      end

      # Columns of other than built-in scalar types are sent as text and cast: unnest would take apart an array of arrays, or of composites.
      #
      # Whether the server can compare the columns' types: the table's name also means its row type.
      def comparable? = @comparable

      # @param oids [Array<Integer>] of the columns' types
      # @param names [Array<String>] names of these types in SQL
      # @param compared [Boolean] whether the server refuses the statement if the columns have other types by then
      # @return [String] SQL for any number of rows, with a parameter for each column: an array of its values
      def many_rows(oids, names, compared)
        raise ArgumentError, "several rows need a column at least" if @names.empty?

        types = oids.zip(names).map { |oid, name| UNBOUNDED.fetch(oid, name) }
        whole = oids.map { |oid| Parameters::OIDs.scalar_name(oid) }
        arrays = types.each_with_index.map { |type, at| "pg_catalog.unnest($#{at + 1}::#{whole[at] ? type : "pg_catalog.text"}[])" }
        columns = types.each_with_index.map { |type, at| whole[at] ? "v.c#{at}" : "v.c#{at}::#{type}" }
        "INSERT INTO #{@table} (#{quoted(@names, ", ")}) SELECT #{columns.join(", ")} FROM ROWS FROM (#{arrays.join(", ")}) " \
          "AS v (#{types.each_index.map { |at| "c#{at}" }.join(", ")})#{comparison(types) if compared}#{@returning}"
      end

      # @param oids [Array<Integer, #encode>] the columns' types
      # @param array_nulls [ArrayNulls]
      # @return [Array<Array>] the values of each column, as elements of an array
      # @raise [ArgumentError, TypeError, EncodingError] a value cannot be sent
      def columns(oids, array_nulls)
        @rows.transpose.zip(oids, @names).map do |values, oid, name|
          parameter = Parameters::Parameter.new(0, "a value of #{name}", array_nulls: array_nulls)
          values.map { |value| PLAIN.any? { |type| type === value } ? value : parameter.text(value, oid) }
        end
      end

      private

      # A condition that is always true, and that the server can parse only if the columns have these types: array_eq takes two arrays of one type. A
      # field of the row type needs no privilege on the table.
      def comparison(types)
        same = @names.zip(types).map { |name, type| "pg_catalog.array_eq(ARRAY[(NULL::#{@table}).#{quoted(name, "")}], NULL::#{type}[]) IS NULL" }
        " WHERE #{same.join(" AND ")}"
      end

      def quoted(given, between) = (Array === given ? given : [given]).map { |name| @quoting.escape_identifier(name) }.join(between)

      def row?(rows) = Argument.is?(rows, Hash, Struct) || !Argument.responds?(rows, :map)

      # nil is refused: its to_h would make a row of defaults, for a variable that was never set.
      def hash_of(row)
        return row.to_h unless nil == row || Array === row || !Argument.responds?(row, :to_h)

        raise TypeError, "a row to insert is a Hash of values by columns, not #{nil == row ? "nil" : Argument.class_of(row)}"
      end

      def checked(table)
        names = Array === table ? table : [table]
        return names if names.any? && names.all? { |name| Argument.is?(name, String, Symbol) }

        raise TypeError, "a table is named by a Symbol or a String, or by an Array of these with the schema in front, not by #{Argument.shown(table)}"
      end

      def values(hash, at)
        return hash.values_at(*@names) if hash.size == @names.size && @names.all? { |name| hash.key?(name) }

        raise ArgumentError, "all rows must have the same columns: the first has #{@names.join(", ")}, and row #{at + 1} #{hash.keys.join(", ")}"
      end
    end
    private_constant :Insertion
  end
end
