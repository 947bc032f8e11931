# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "host_choices"
require_relative "measure"
require_relative "server_cpu"
require_relative "servers/postgres_server"

module Trunkline
  module Bench
    # Reads of two standbys of a server.
    class ReplicaLoad
      WORK = "SELECT sum(number) FROM generate_series(1, 200) AS number"
      SECONDS = 3
      CONNECTIONS = 4
      ROUNDS = 2000
      private_constant :WORK, :SECONDS, :CONNECTIONS, :ROUNDS

      # @param primary [PostgresServer]
      def initialize(primary)
        @primary = primary
        @standbys = PostgresServer.start_standbys(primary, 2)
      end

      # Ends the standbys.
      def discard = @standbys.each(&:discard)

      # @return [Hash{Symbol => Float}] the part of both standbys' processor time that was the first one's
      def split
        client(*@standbys) do |db|
          before = cpu
          load(db, 16) { db.replica(fallback: false).value(WORK) }
          used = cpu.zip(before).map { |now, then_| now - then_ }
          { split: used.first / used.sum }
        end
      end

      # @return [Hash{Symbol => Float}] seconds that a guarded read takes beyond a read, in turns
      def costs
        client(@standbys.first) do |db|
          token = db.position
          sides = [db.replica(fallback: false), db.replica(after: token, fallback: false)]
          sides.each { |reads| ROUNDS.times { reads.value("SELECT 1") } }
          rounds = Array.new(7) { sides.map { |reads| time { ROUNDS.times { reads.value("SELECT 1") } } / ROUNDS } }
          { guarded: rounds.map { |plain, guarded| guarded - plain }.sort[3] }
        end
      end

      # Writes, each read back at once, with its position and without, while the standbys pause and resume their replay.
      #
      # @param count [Integer] of reads after a position
      # @return [Hash{Symbol => Numeric}]
      def stale(count)
        @primary.psql("CREATE TABLE IF NOT EXISTS counters (id int PRIMARY KEY, number int); TRUNCATE counters; INSERT INTO counters SELECT id, 0 FROM generate_series(1, 16) AS id")
        found = { stale: 0, stale_without: 0, by_standbys: 0, refused: 0 }
        client(*@standbys, connections: 8) do |db|
          pausing { Sync { |task| (1..16).map { |id| task.async { read_back(db, id, count / 16, found) } }.each(&:wait) } }
        end
        found
      end

      # @return [Float] seconds of one choice among so many hosts with a connection each that is idle
      def self.choosing(among) = HostChoices.new(among).seconds

      private

      def client(*standbys, **options, &block)
        servers = [*standbys, @primary]
        uri = "postgresql://postgres@/postgres?host=#{servers.map(&:socket_directory).join(",")}&port=#{servers.map(&:port).join(",")}"
        Trunkline.postgres(uri, replicas: true, connections: CONNECTIONS, max_connections: 9, **options, &block)
      end

      # @return [Array<Float>] seconds of each call, in order
      def load(_db, callers, seconds = SECONDS, &call)
        stop = Measure.now + seconds
        times = []
        Sync { |task| Array.new(callers) { task.async { times << time(&call) while Measure.now < stop } }.each(&:wait) }
        times.sort
      end

      def read_back(db, id, count, found)
        count.times do |number|
          db.query("UPDATE counters SET number = $1 WHERE id = $2", number, id)
          token = db.position
          plain = db.replica.value("SELECT number FROM counters WHERE id = $1", id)
          found[:stale_without] += 1 if plain.nil? || plain < number
          read, recovery = db.replica(after: token).first("SELECT number, pg_is_in_recovery() FROM counters WHERE id = $1", id).values
          found[:stale] += 1 if read < number
          found[:by_standbys] += 1 if recovery
        end
      end

      def pausing
        stop = false
        random = Random.new(1)
        pauser = Thread.new do
          until stop
            standby = @standbys.sample(random: random)
            standby.psql("SELECT pg_wal_replay_pause()")
            sleep(random.rand * 0.05)
            standby.psql("SELECT pg_wal_replay_resume()")
          end
        end
        yield
      ensure
        stop = true
        pauser&.join
      end

      def cpu = @standbys.map { |standby| ServerCpu.seconds(File.read(File.join(standby.socket_directory, "postmaster.pid")).to_i) }

      def time
        start = Measure.now
        yield
        Measure.now - start
      end
    end
  end
end
