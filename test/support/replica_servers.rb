# frozen_string_literal: true

require_relative "leeway"
require_relative "private_servers"
require_relative "server_pair"

module Trunkline
  # A primary with two hot standbys, for the tests of replicas.
  module ReplicaServers
    include Leeway
    include ServerPair

    Servers = Struct.new(:primary, :standbys)
    private_constant :Servers
    @lock = Mutex.new

    # @return [Array(Bench::PostgresServer, Array<Bench::PostgresServer>)] the servers that tests share; leave them as you found them
    def self.shared
      @lock.synchronize do
        @shared ||= Bench::PostgresServer.start.then { |primary| Servers.new(primary, Bench::PostgresServer.start_standbys(primary, 2)) }
      end
    end

    # Runs the block with new servers.
    #
    # @yieldparam db [Postgres::Client] of all of them, the standbys first
    # @yieldparam primary [Bench::PostgresServer]
    # @yieldparam standbys [Array<Bench::PostgresServer>]
    def with_own_replicas(count = 2, **options)
      with_server do |primary|
        standbys = Bench::PostgresServer.start_standbys(primary, count)
        replicated_client(primary, standbys, **options) { |db| yield db, primary, standbys }
      ensure
        standbys&.each(&:discard)
      end
    end

    # As {with_own_replicas}, with the shared servers; what was paused is resumed. Each of them answers: one that is slow to do so is waited for.
    def with_replicas(**options)
      primary, standbys = ReplicaServers.shared.to_a
      with_long_connecting { replicated_client(primary, standbys, **options) { |db| yield db, primary, standbys } }
    ensure
      standbys.each { |standby| resume(standby) }
    end

    def replicated_client(primary, standbys, **options, &block) = Trunkline.postgres(hosts_uri(*standbys, primary), replicas: true, **options, &block)

    # Pauses a standby's replay until it is resumed.
    def pause(standby)
      standby.psql("SELECT pg_wal_replay_pause()")
      assert eventually { standby.psql("SELECT pg_get_wal_replay_pause_state()") == "paused\n" }
    end

    # Waits until the standbys have received all that was written, replayed or not: the lag of one that is paused counts from then.
    def received(primary, standbys)
      written = primary.psql("SELECT pg_current_wal_insert_lsn()").chomp
      standbys.each do |standby|
        assert(eventually { standby.psql("SELECT pg_last_wal_receive_lsn() >= '#{written}'") == "t\n" }, "#{written} is received")
      end
    end

    def resume(standby) = standby.psql("SELECT pg_wal_replay_resume()")
  end
end
