# frozen_string_literal: true

module Trunkline
  module Postgres
    class Types
      # Rows of pg_type, and what they make of a user-defined type: an enum is text, a domain is what it is based on,
      # an array of either (or of a built-in type) an array. Everything else stays the server's text.
      class Catalogue
        # Read as text and not as an array: enums, and whatever has no better reading.
        SERVER_TEXT = [25, false].freeze

        # Goes on to the base type of a domain and the element type of an array, however deep.
        QUERY = <<~SQL
          WITH RECURSIVE needed(oid) AS (
            SELECT pg_catalog.unnest($1::pg_catalog.oid[])
            UNION
            SELECT CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END
            FROM needed JOIN pg_catalog.pg_type t ON t.oid = needed.oid
            WHERE t.typtype = 'd' OR t.typelem <> 0
          )
          SELECT t.oid, t.typtype::pg_catalog.text, t.typbasetype, t.typelem, coalesce(e.typarray = t.oid, false)
          FROM needed JOIN pg_catalog.pg_type t ON t.oid = needed.oid
          LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
        SQL
        private_constant :QUERY

        Row = Struct.new(:oid, :kind, :base, :element, :array)
        private_constant :Row

        # @param oids [Array<Integer>]
        # @return [Array(String, Array<String>)] SQL and its parameters
        def self.query(oids)
          [QUERY, ["{#{oids.join(",")}}"]]
        end

        # @return [Integer] the one OID of a built-in type or of its array
        def self.builtin_oid(base, array)
          array ? Postgres.builtin_type(base).last : base
        end

        # @param rows [Array<Array>] the query's result
        def initialize(rows)
          @rows = rows.to_h { |values| [values.first, Row.new(*values)] }
        end

        # @param oids [Array<Integer>]
        # @return [Hash{Integer => Array(Integer, Boolean)}] base type and whether an array of it, for each
        def resolve(oids)
          oids.to_h { |oid| [oid, target(oid) || SERVER_TEXT] }
        end

        private

        # nil: nothing but the server's text
        def target(oid)
          builtin = Postgres.builtin_type(oid)
          return builtin.first(2) if builtin

          row = @rows[oid]
          return unless row
          return SERVER_TEXT if row.kind == "e"

          row.kind == "d" ? target(row.base) : array_target(row)
        end

        # An array of a domain that is an array itself quotes its elements twice: left as it is.
        def array_target(row)
          base, nested = target(row.element) if row.array
          [base, true] if base && !nested
        end
      end
    end
  end
end
