# frozen_string_literal: true

require "fileutils"
require_relative "frozen_server"
require_relative "pgbouncer"
require_relative "private_servers"

module Trunkline
  # Three servers at fixed ports, of which two follow the first, each behind its own PgBouncer; a pooler and a name that are moved to the primary; and
  # faults of all of these. After each fault three servers replicate again, and pooler and name lead to the primary.
  class FaultyCluster
    include FrozenServer

    # name:: [Symbol]
    # began_at:: [Float] what was acknowledged before has been replicated
    # may_lose:: [Boolean] whether asynchronous replication may lose what was acknowledged from then on until the promotion
    # healed_at:: [Float] when a primary could be reached on each way, and had a standby
    Fault = Struct.new(:name, :began_at, :may_lose, :promoted_at, :healed_at)
    FAULTS = %i[hand_over kill freeze pause lose_standby end_sessions mislead_pooler restart_pooler freeze_pooler].freeze
    LONGEST_PAUSE = 4.0 # seconds of a server that is resumed
    LONGEST_DELAY = 1.0 # seconds after which the pooler and the name are moved
    NAME = "db.example"
    # Those in which a standby takes over.
    PROMOTING = %i[hand_over kill freeze].freeze
    # Those of servers, which clients of replicas notice.
    OF_SERVERS = %i[hand_over kill freeze pause lose_standby end_sessions freeze_standby end_sessions_of_standby].freeze
    private_constant :FAULTS, :LONGEST_PAUSE, :LONGEST_DELAY

    # @param synchronous [Boolean]
    # @param random [Random] of all that is random
    # @param faults [Array<Symbol>] those that happen
    # @yieldparam cluster [FaultyCluster]
    def self.open(synchronous:, random:, faults: FAULTS)
      settings = { "synchronous_commit" => "on", "listen_addresses" => "127.0.0.1" }
      primary = Bench::PostgresServer.start(settings: settings)
      standbys = Bench::PostgresServer.start_standbys(primary, 2)
      cluster = new(primary, standbys, synchronous, random, faults)
      yield cluster
    ensure
      cluster&.close
      [*standbys, primary].compact.each(&:discard)
    end

    # @return [Hash{String => Addrinfo}] for a resolver
    attr_reader :names

    # @return [Bench::PostgresServer]
    attr_reader :primary

    # @return [Array<Bench::PostgresServer>]
    attr_reader :servers

    def initialize(primary, standbys, synchronous, random, faults)
      @faults = faults
      @servers = [primary, *standbys]
      @primary = primary
      @synchronous = synchronous
      @random = random
      @names = {}
      @poolers = @servers.map { |server| pooler(server) }
      @moved = pooler(primary)
      point
      @servers.each { |server| replicate(server) }
      await_standbys
    end

    def close = [*@poolers, @moved].each(&:stop)

    # @return [Hash{Symbol => Array(String, Hash)}] for each way to the primary a URI and options of a client
    def ways
      writer = "target_session_attrs=read-write&connect_timeout=2"
      { hosts: ["postgresql://postgres@#{places(@servers)}/postgres?#{writer}", {}], poolers: ["postgresql://postgres@#{places(@poolers)}/postgres?#{writer}", { prepare: false }],
        moved_pooler: ["#{@moved.uri}?#{writer}", { prepare: false }], moved_name: ["postgresql://postgres@#{NAME}:5432/postgres?#{writer}", {}] }
    end

    # @return [Fault, nil] the latest one
    attr_reader :fault

    # @return [Fault] the next one, which is over
    def fail
      name = @faults.sample(random: @random)
      @fault = fault = Fault.new(name, nil, %i[kill freeze].include?(name))
      fault.began_at = await_standbys
      fault.promoted_at = send(name)
      point
      await_standbys
      fault.tap { fault.healed_at = now }
    end

    private

    # Faults return when another server was promoted; nil: none was.

    def hand_over
      old = @primary.tap(&:stop)
      promote { rejoin(old) }
    end

    def kill
      old = @primary.tap { |server| end_processes(server) }
      promote { rejoin(old) }
    end

    # The former primary is resumed beside the next one, if writes that it acknowledges by then are not lost; otherwise it is ended.
    def freeze
      old = @primary
      stopped = signal(old, "STOP")
      promote do
        @synchronous ? wake(stopped) : end_processes(old)
        rejoin(old)
      end
    end

    def pause
      stopped = signal(@primary, "STOP")
      sleep @random.rand(LONGEST_PAUSE)
      wake(stopped)
    end

    def lose_standby
      rejoin(standbys.sample(random: @random).tap { |server| end_processes(server) })
    end

    def end_sessions = end_some(@primary)
    def end_sessions_of_standby = end_some(standbys.sample(random: @random))

    def end_some(server)
      server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5")
      nil
    end

    def freeze_standby
      frozen(standbys.sample(random: @random)) { sleep @random.rand(LONGEST_PAUSE) }
      nil
    end

    def mislead_pooler
      @moved.lead_to(standbys.sample(random: @random))
      sleep @random.rand(LONGEST_DELAY)
    end

    def restart_pooler = [*@poolers, @moved].sample(random: @random).restart && nil

    def freeze_pooler
      [*@poolers, @moved].sample(random: @random).frozen { sleep @random.rand(LONGEST_PAUSE) }
      nil
    end

    # The standby that has received the most takes over, and the other one follows it.
    #
    # @yield what becomes of the former primary
    # @return [Float]
    def promote
      sleep @random.rand(LONGEST_DELAY)
      @primary, other = standbys.sort_by { |server| -server.psql("SELECT pg_last_wal_receive_lsn() - '0/0'").to_i }
      @primary.psql("SELECT pg_promote()")
      promoted_at = now
      other.stop
      other.follow(@primary, port: other.port)
      sleep @random.rand(LONGEST_DELAY)
      yield
      promoted_at
    end

    def standbys = @servers - [@primary]

    def rejoin(server)
      end_processes(server)
      FileUtils.rm_rf(server.socket_directory)
      Bench::Keeper.instance.run(Bench::PostgresBinaries.path("pg_basebackup"), "-D", server.socket_directory, "-d", @primary.uri, "-c", "fast", "--no-sync",
                                 log: "#{server.socket_directory}.log")
      server.follow(@primary, port: server.port)
    end

    def replicate(server)
      server.psql("ALTER SYSTEM SET synchronous_standby_names = '#{"ANY 1 (*)" if @synchronous}'; SELECT pg_reload_conf()")
    end

    def wake(stopped)
      stopped.each do |process|
        Process.kill("CONT", process)
      rescue Errno::ESRCH
        nil # it has ended since its postmaster runs again
      end
      nil
    end

    # Ends all processes at once, as when a machine fails.
    def end_processes(server)
      signal(server, "STOP").each { |process| Process.kill("KILL", process) }
    rescue Errno::ESRCH, Errno::ENOENT
      nil # it was stopped before
    ensure
      Bench::Keeper.instance.stop(server.pid)
    end

    # @return [Float] what was acknowledged before has reached both standbys
    def await_standbys
      at = now
      written = @primary.psql("SELECT pg_current_wal_lsn()").chomp
      deadline = now + 60
      question = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= '#{written}'"
      until @primary.psql(question) == "2\n"
        raise "the standbys do not follow:\n#{standbys.map { |server| server.log.lines.last(5).join }.join("\n")}" if now > deadline
      end
      at
    end

    # The pooler and the name lead to the primary.
    def point
      @moved.lead_to(@primary)
      @names[NAME] = Addrinfo.tcp("127.0.0.1", @primary.port)
    end

    # It retries logins to its server every second; the default is 15 s.
    def pooler(server) = PgBouncer.new(server, pool: 8, server_login_retry: 1)

    def places(all) = all.map { |one| "127.0.0.1:#{one.port}" }.join(",")

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
