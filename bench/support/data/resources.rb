# frozen_string_literal: true

module Trunkline
  module Bench
    # A table with a lot of text, as em-pg-client's benchmarks read it whole, and a few columns of the other everyday types.
    module Resources
      ROWS = 80_000
      SELECT = "SELECT * FROM resources"
      CHUNK = "#{SELECT} WHERE id > $1 AND id <= $2"

      module_function

      # Has the callers fetch the table in chunks: a caller that is through with one takes the next.
      #
      # @param size [Integer] rows of a chunk
      # @return [#call] yields the numbers between which the rows of the next chunk lie, until there is none
      def chunks(size)
        left = Thread::Queue.new(0.step(ROWS - 1, size)).close
        lambda do |&fetch|
          while (after = left.pop)
            fetch.call(after, after + size)
          end
        end
      end

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
