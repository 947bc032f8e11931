# frozen_string_literal: true

module Trunkline
  module Bench
    # A table with a lot of text, as document 002 reads it whole, and a few columns of the other everyday types.
    module Resources
      ROWS = 80_000
      SELECT = "SELECT * FROM resources"

      module_function

      # @param server [PostgresServer]
      def fill(server)
        server.psql(<<~SQL)
          CREATE TABLE resources (
            id int PRIMARY KEY, parent int, visits bigint NOT NULL, visible bool NOT NULL, score float8 NOT NULL,
            price numeric(10,2) NOT NULL, created_at timestamp NOT NULL, updated_at timestamptz NOT NULL,
            name text NOT NULL, title text NOT NULL, address varchar NOT NULL, summary text, body text NOT NULL);
          INSERT INTO resources
            SELECT id, nullif(id / 10, 0), id::bigint * 1000003, id % 3 = 0, id / 7.0, (id % 100000) / 100.0,
              timestamp '2001-01-01' + id * interval '1 hour 1.5 seconds', timestamptz '2001-01-01 00:00Z' + id * interval '90 minutes',
              'resource ' || id, 'Title of ' || md5(id::text), 'https://example.org/' || md5(id::text),
              CASE WHEN id % 4 > 0 THEN repeat(md5(id::text) || ' ', 3) END, repeat(md5((id * 7)::text) || ' ', 8)
            FROM generate_series(1, #{ROWS}) AS id;
          VACUUM ANALYZE resources;
        SQL
      end
    end
  end
end
