# frozen_string_literal: true

require_relative "entry"
require_relative "kinds"

module Trunkline
  module Postgres
    class Types
      # Rows of pg_type, and the Entries for types that are not built in: an enum is text, a domain is its base type, an array an array; ranges,
      # composites and a few extensions' types have kinds of their own. All others remain the server's text.
      class Catalogue
        # Decoded as text and not as an array: enums, and types without a better decoder.
        SERVER_TEXT = Entry.new(25, false, nil).freeze
        TEXT_ARRAY = Entry.new(25, true, nil).freeze
        private_constant :TEXT_ARRAY

        # Includes the base type of a domain, the element type of an array, the bounds of a range, and the attributes of a composite, at any depth.
        # The range of a multirange is known since PostgreSQL 14. Every name is qualified, so that no object of a user replaces one, whatever the
        # search_path.
        QUERY = <<~SQL
          WITH RECURSIVE multirange(range, oid) AS MATERIALIZED (
            SELECT r.rngtypid, (pg_catalog.to_jsonb(r) OPERATOR(pg_catalog.->>) 'rngmultitypid')::pg_catalog.oid
            FROM pg_catalog.pg_range r
          ), attribute(relation, number, name, type) AS NOT MATERIALIZED (
            SELECT attrelid, attnum, attname::pg_catalog.text, atttypid FROM pg_catalog.pg_attribute
            WHERE attnum OPERATOR(pg_catalog.>) 0 AND NOT attisdropped
          ), needed(oid) AS (
            SELECT pg_catalog.unnest($1::pg_catalog.oid[])
            UNION
            SELECT further.oid
            FROM needed JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) needed.oid CROSS JOIN LATERAL (
              SELECT t.typbasetype WHERE t.typtype OPERATOR(pg_catalog.=) 'd'
              UNION ALL SELECT t.typelem WHERE t.typelem OPERATOR(pg_catalog.<>) 0
              UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid OPERATOR(pg_catalog.=) t.oid
              UNION ALL SELECT m.range FROM multirange m WHERE m.oid OPERATOR(pg_catalog.=) t.oid
              UNION ALL SELECT a.type FROM attribute a WHERE t.typtype OPERATOR(pg_catalog.=) 'c' AND a.relation OPERATOR(pg_catalog.=) t.typrelid
            ) AS further(oid)
          )
          SELECT t.oid, t.typtype::pg_catalog.text,
                 CASE WHEN t.typtype OPERATOR(pg_catalog.=) 'd' THEN t.typbasetype
                      WHEN t.typtype OPERATOR(pg_catalog.=) 'r' THEN r.rngsubtype
                      WHEN t.typtype OPERATOR(pg_catalog.=) 'm' THEN m.range END,
                 t.typelem, coalesce(e.typarray OPERATOR(pg_catalog.=) t.oid, false), t.typdelim::pg_catalog.text,
                 (SELECT p.proname::pg_catalog.text FROM pg_catalog.pg_proc p WHERE p.oid OPERATOR(pg_catalog.=) t.typinput),
                 ARRAY(SELECT a.name FROM attribute a
                       WHERE t.typtype OPERATOR(pg_catalog.=) 'c' AND a.relation OPERATOR(pg_catalog.=) t.typrelid ORDER BY a.number),
                 ARRAY(SELECT a.type FROM attribute a
                       WHERE t.typtype OPERATOR(pg_catalog.=) 'c' AND a.relation OPERATOR(pg_catalog.=) t.typrelid ORDER BY a.number)
          FROM needed JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) needed.oid
          LEFT JOIN pg_catalog.pg_type e ON e.oid OPERATOR(pg_catalog.=) t.typelem
          LEFT JOIN pg_catalog.pg_range r ON r.rngtypid OPERATOR(pg_catalog.=) t.oid
          LEFT JOIN multirange m ON m.oid OPERATOR(pg_catalog.=) t.oid
        SQL
        private_constant :QUERY

        Row = Struct.new(:oid, :type, :base, :element, :array, :delimiter, :input, :names, :attributes)
        private_constant :Row

        # @param oids [Array<Integer>]
        # @return [Array(String, Array<String>)] SQL and its parameters
        def self.query(oids)
          [QUERY, ["{#{oids.join(",")}}"]]
        end

        # @param rows [Array<Array>] the query's result
        # @param registered [Hash{Integer => CustomKind}] by the user
        def initialize(rows, registered = {})
          @rows = rows.to_h { |values| [values.first, Row.new(*values)] }
          @registered = registered
        end

        # @param oids [Array<Integer>]
        # @return [Hash{Integer => Entry}]
        def resolve(oids)
          oids.to_h { |oid| [oid, entry(oid) || SERVER_TEXT] }
        end

        private

        # nil: only the server's text
        def entry(oid)
          kind = @registered[oid]
          return Entry.new(25, false, kind) if kind

          builtin = Postgres.builtin_type(oid)
          return Entry.new(*builtin.first(2)) if builtin

          row = @rows[oid]
          row && entry_of(row)
        end

        def entry_of(row)
          case row.type
          when "e" then SERVER_TEXT
          when "d" then entry(row.base)
          when "r", "m", "c" then Entry.new(25, false, kind_of(row))
          else KNOWN.key?(row.input) ? Entry.new(25, false, KNOWN[row.input]) : array_entry(row)
          end
        end

        def kind_of(row)
          case row.type
          when "r" then RangeKind.new(entry(row.base) || SERVER_TEXT)
          when "m" then MultirangeKind.new(kind_of(@rows.fetch(row.base)))
          when "c" then CompositeKind.new(row.names.zip(row.attributes.map { |oid| entry(oid) || SERVER_TEXT }).to_h)
          end
        end

        # An array of a domain that is an array itself quotes its elements twice, and boxes are not separated by commas: these remain text.
        def array_entry(row)
          return unless row.array && @rows[row.element]&.delimiter != ";"

          element = entry(row.element)
          return TEXT_ARRAY unless element

          Entry.new(element.base, true, element.kind) unless element.array
        end
      end
    end
  end
end
