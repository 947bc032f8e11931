# frozen_string_literal: true

require "async"
require "trunkline"

module Trunkline
  module Bench
    # Writes whose readers ask standbys for them, with their positions and without, while the standbys pause and resume their replay at random.
    class StaleReads
      WRITERS = 16
      READS = 10 # of each write
      KEPT = 8   # writes of each writer, of which one is read
      LONGEST = 40 # reads during a pause, and between two
      NUMBER = "SELECT number FROM counters WHERE id = $1"
      TABLE = <<~SQL
        CREATE TABLE IF NOT EXISTS counters (id int PRIMARY KEY, number int);
        TRUNCATE counters;
        INSERT INTO counters SELECT id, -1 FROM generate_series(1, #{WRITERS}) AS id
      SQL
      private_constant :WRITERS, :READS, :KEPT, :LONGEST, :NUMBER, :TABLE

      # @param primary [PostgresServer]
      # @param standbys [Array<PostgresServer>]
      # @param seed [Integer]
      def initialize(primary, standbys, seed: 1)
        @primary = primary
        @standbys = standbys
        @seed = seed
      end

      # @param db [Postgres::Client] of all of them
      # @param count [Integer] reads after a position, at least
      # @param by_standbys [Integer] of these, at least
      # @return [Hash{Symbol => Integer}] reads after a position, how many of them standbys answered, and how many were stale; and stale ones without a position
      def run(db, count, by_standbys: 1)
        @found = { reads: 0, by_standbys: 0, stale: 0, stale_without: 0 }
        @enough = -> { @found[:reads] >= count && @found[:by_standbys] >= by_standbys }
        @primary.psql(TABLE)
        delaying { Sync { |task| Array.new(WRITERS) { |at| task.async { write(db, at + 1) } }.each(&:wait) } }
        @found
      end

      private

      def write(db, id)
        random = Random.new(@seed + id)
        written = []
        number = -1
        until @enough.call
          db.query("UPDATE counters SET number = $1 WHERE id = $2", number += 1, id)
          written = [[number, db.position], *written].first(KEPT)
          READS.times { read(db, id, *written.sample(random: random)) }
        end
      end

      def read(db, id, written, position)
        plain = db.replica(fallback: false).value(NUMBER, id)
        @found[:stale_without] += 1 if plain.nil? || plain < written
        number, recovery = db.replica(after: position).query("SELECT number, pg_is_in_recovery() FROM counters WHERE id = $1", id).rows.first
        @found[:reads] += 1
        @found[:stale] += 1 if number.nil? || number < written
        @found[:by_standbys] += 1 if recovery
      end

      # At first none of them replays, so what is read there is stale for certain.
      def delaying
        stop = false
        delayer = Thread.new do
          controls = @standbys.map { |standby| Trunkline.postgres(standby.uri, connections: 1) }
          delay(controls) { stop }
        ensure
          controls&.each(&:close)
        end
        yield
      ensure
        stop = true
        delayer.join
      end

      def delay(controls)
        random = Random.new(@seed)
        chosen = controls
        until yield
          chosen.each { |control| control.query("SELECT pg_wal_replay_pause()") }
          pass(random)
          chosen.each { |control| control.query("SELECT pg_wal_replay_resume()") }
          pass(random)
          chosen = [controls.sample(random: random)]
        end
      ensure
        controls.each { |control| control.query("SELECT pg_wal_replay_resume()") }
      end

      # Lets so many reads pass.
      def pass(random)
        until_then = @found[:reads] + random.rand(1..LONGEST)
        sleep(0.001) until @found[:reads] >= until_then || @enough.call
      end
    end
  end
end
