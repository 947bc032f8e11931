# frozen_string_literal: true

module Trunkline
  module Postgres
    # The names of types in SQL: OID and modifier -> "numeric(10,2)". They are queried from the server, and those of built-in types are cached: other
    # types may be renamed, and are qualified or not depending on the search_path.
    class TypeNames # :nodoc:
      SQL = "SELECT pg_catalog.format_type(oid, CASE WHEN modifier OPERATOR(pg_catalog.<>) -1 THEN modifier END) " \
            "FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[])) AS types (oid, modifier)"
      # A bound on memory, as max_types': a type has as many names as there are modifiers.
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

      # Takes no lock: a name that two callers look up at the same time may be looked up again later.
      def with(missing, known)
        known = known.merge(fetch(missing))
        lasting = known.select { |(oid, _), _| Postgres.builtin_type(oid) }
        @known = lasting.freeze if lasting.size <= MOST
        known
      end

      # Arrays as text, for which no parameter's type has to be known: one round trip even the first time.
      def fetch(types) = types.zip(@query.call(SQL, types.transpose.map { |numbers| "{#{numbers.join(",")}}" }).flatten).to_h
    end
    private_constant :TypeNames
  end
end
