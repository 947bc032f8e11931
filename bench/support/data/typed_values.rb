# frozen_string_literal: true

module Trunkline
  module Bench
    # A table of many types, a little of each.
    module TypedValues
      ROWS = 80_000
      SELECT = "SELECT * FROM typed_values WHERE id BETWEEN $1 AND $2 ORDER BY id"

      module_function

      # @param server [PostgresServer]
      def fill(server)
        server.psql(<<~SQL)
          CREATE TABLE typed_values (
            id int PRIMARY KEY, small smallint, large bigint, yes bool, double float8, single real, price numeric(12,4), day date,
            at timestamp, moment timestamptz, code uuid, bytes bytea, numbers int[], words text[], name text, note varchar);
          INSERT INTO typed_values
            SELECT id, id % 1000, id::bigint * 1000003, id % 3 = 0, id / 7.0, id / 4.0, (id % 100000) / 7.0, date '2001-01-01' + id % 9000,
              timestamp '2001-01-01' + id * interval '1 hour 1.5 seconds', timestamptz '2001-01-01 00:00Z' + id * interval '90 minutes',
              md5(id::text)::uuid, decode(md5(id::text), 'hex'), ARRAY[id, NULL, -id], ARRAY['word ' || id, 'b "c"'], 'name ' || id,
              CASE WHEN id % 4 > 0 THEN md5(id::text) END
            FROM generate_series(1, #{ROWS}) AS id;
          VACUUM ANALYZE typed_values;
        SQL
      end
    end
  end
end
