# frozen_string_literal: true

require_relative "../measure"
require_relative "../server_cpu"

module Trunkline
  module Bench
    # Long and short queries on one table of users: each long one brings MULTIPLIER short ones.
    # A long one either uses the server's processor or waits.
    class Mixture
      USERS = 300_000
      LONG_SECONDS = 0.03
      SHORT = "SELECT name FROM users WHERE id = $1"
      COUNTING = "SELECT count(*) FROM users WHERE id <= $1 AND name LIKE '%am%'"
      WAITING = "SELECT count(*) FROM (SELECT pg_sleep($1)) AS nap"
      # One long query is one core's, as it would be beside other work.
      SETTINGS = { "shared_buffers" => "256MB", "max_parallel_workers_per_gather" => 0, "jit" => "off" }.freeze
      WARM_UPS = 2
      COUNTS = 10
      private_constant :WARM_UPS, :COUNTS

      # @param server [PostgresServer] whose database gets the table
      def initialize(server)
        @server = server
      end

      # Makes the table and finds how long a counting query looks through all users.
      def fill
        @server.psql(<<~SQL)
          CREATE TABLE users (id int PRIMARY KEY, name text NOT NULL);
          INSERT INTO users SELECT id, md5(id::text) || (ARRAY['adam', 'grace', 'miriam', 'ada', 'samuel'])[id % 5 + 1]
            FROM generate_series(1, #{USERS}) AS id;
          VACUUM ANALYZE users;
        SQL
        @whole = counting_seconds
        self
      end

      # @param seconds [Float] of the server's processor
      # @return [Integer] parameter with which COUNTING takes as long
      def counted_in(seconds) = (USERS * seconds / @whole).clamp(1, USERS).to_i

      # @param kind [Symbol] :cpu or :wait
      # @return [Hash] what both sides are told: the statements and the long one's parameter
      def statements(kind)
        long, parameter = kind == :cpu ? [COUNTING, counted_in(LONG_SECONDS)] : [WAITING, LONG_SECONDS]
        { long_sql: long, parameter: parameter, short_sql: SHORT, users: USERS }
      end

      private

      # @return [Float] seconds of the server's processor for a look through all users; of the clock where it does not tell
      def counting_seconds
        count(WARM_UPS)
        cpu = ServerCpu.seconds(@server.pid)
        wall = Measure.now
        count(COUNTS)
        used = cpu ? ServerCpu.seconds(@server.pid) - cpu : Measure.now - wall
        used / COUNTS
      end

      def count(times) = @server.psql("#{COUNTING.sub("$1", USERS.to_s)};\n" * times)
    end
  end
end
