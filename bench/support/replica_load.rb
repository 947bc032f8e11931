# frozen_string_literal: true

require "async"
require "trunkline"
require_relative "host_choices"
require_relative "measure"
require_relative "server_cpu"
require_relative "servers/postgres_server"
require_relative "stale_reads"

module Trunkline
  module Bench
    # Reads of two standbys of a server.
    class ReplicaLoad
      WORK = "SELECT sum(number) FROM generate_series(1, 200) AS number"
      # One of 250 reads there takes 50 ms.
      STALLING = "SELECT pg_sleep(CASE WHEN current_setting('port') = '%<port>d' AND random() < 0.004 THEN 0.05 ELSE 0 END)"
      CALLERS = 8
      SECONDS = 3
      CONNECTIONS = 4
      ROUNDS = 2000
      private_constant :WORK, :STALLING, :CALLERS, :SECONDS, :CONNECTIONS, :ROUNDS

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

      # Reads that stall on the first standby now and then, with `hedge: true` and without.
      #
      # @return [Hash{Symbol => Float}] seconds that 99 and 99.9 of 100 reads take at most on each side, and the part of the reads that was sent a second time
      def stalls
        client(*@standbys) do |db|
          sql = format(STALLING, port: @standbys.first.port)
          sides = { plain: db.replica(fallback: false), hedged: db.replica(fallback: false, hedge: true) }
          took = sides.transform_values { |reads| load(db, CALLERS) { reads.value(sql) } }
          second = db.stats[:replicas].sum { |replica| replica[:hedged] }
          parts = { p99: 0.99, p999: 0.999 }.flat_map { |name, part| took.map { |side, times| [:"#{name}_#{side}", times[(times.size * part).to_i]] } }
          rates = took.to_h { |side, times| [:"rate_#{side}", times.size.fdiv(SECONDS)] }
          { **parts.to_h, **rates, second: second.fdiv(took[:hedged].size) }
        end
      end

      # @return [Hash{Symbol => Float}] seconds that a guarded read, and one with `hedge: true`, take beyond a read, in turns
      def costs
        client(@standbys.first) do |db|
          sides = { plain: db.replica(fallback: false), guarded: db.replica(after: db.position, fallback: false), hedging: db.replica(fallback: false, hedge: true) }
          sides.each_value { |reads| ROUNDS.times { reads.value("SELECT 1") } }
          rounds = Array.new(7) { sides.transform_values { |reads| time { ROUNDS.times { reads.value("SELECT 1") } } / ROUNDS } }
          %i[guarded hedging].to_h { |side| [side, rounds.map { |round| round[side] - round[:plain] }.sort[3]] }
        end
      end

      # @param count [Integer] of reads after a position
      # @param seed [Integer] of when the standbys delay their replay
      # @return [Hash{Symbol => Integer}] see {StaleReads#run}
      def stale(count, seed: 1) = client(*@standbys, connections: 8) { |db| StaleReads.new(@primary, @standbys, seed: seed).run(db, count) }

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

      def cpu = @standbys.map { |standby| ServerCpu.seconds(File.read(File.join(standby.socket_directory, "postmaster.pid")).to_i) }

      def time
        start = Measure.now
        yield
        Measure.now - start
      end
    end
  end
end
