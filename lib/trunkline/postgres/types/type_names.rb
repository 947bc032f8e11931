# frozen_string_literal: true

module Trunkline
  module Postgres
    # What SQL calls a type: OID and modifier -> "numeric(10,2)". The server is asked, and what it says of built-in types is
    # remembered: other types may be renamed, and have more or fewer names with the search_path.
    class TypeNames # :nodoc:
      SQL = "SELECT pg_catalog.format_type(oid, CASE WHEN modifier OPERATOR(pg_catalog.<>) -1 THEN modifier END) " \
            "FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[])) AS types (oid, modifier)"
      # Of one type there are as many as its modifier has values.
      MOST = 1000
      private_constant :SQL, :MOST

      # @param query [#call] runs SQL with parameters and returns rows
      def initialize(&query)
        @query = query
        @known = {}.freeze
      end

      # @param types [Array<Array(Integer, Integer)>] OID and modifier of each, -1: none
      # @return [Array<String>]
      def of(types)
        known = @known
        missing = types.uniq.reject { |type| known.key?(type) }
        (missing.empty? ? known : with(missing, known)).values_at(*types)
      end

      private

      # Takes no lock: what another finds out at the same time may have to be asked for again.
      def with(missing, known)
        known = known.merge(fetch(missing))
        lasting = known.select { |(oid, _), _| Postgres.builtin_type(oid) }
        @known = lasting.freeze if lasting.size <= MOST
        known
      end

      # Arrays as text, for which no parameter's type has to be known: one round trip even at the first time.
      def fetch(types) = types.zip(@query.call(SQL, types.transpose.map { |numbers| "{#{numbers.join(",")}}" }).flatten).to_h
    end
    private_constant :TypeNames
  end
end
