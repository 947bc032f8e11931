# frozen_string_literal: true

require "pg"
require_relative "gate_proxy"
require_relative "replica_servers"

module Trunkline
  # Two standbys behind proxies, and a client that hedges its reads as soon as they are sent: the test decides which replica is first, and which
  # answers.
  module HedgingServers
    include ReplicaServers

    PORT = "SELECT current_setting('port')::int"
    # Before any test's scheduler.
    def setup
      super
      ReplicaServers.shared
    end

    # Recorded reads that were answered at once, so that any time counts as slow.
    PROMPT = 20_000
    Address = Struct.new(:socket_directory, :port)

    # A set whose callers may say which replica is first.
    module First
      def choose(_guard, route, statement = nil)
        number = Thread.current[:first_replica] or return super
        check_hosts
        other = (0..1).find { |at| !route.passed&.include?(at) && (at == number || route.passed) }
        other && choose_among([@replicas[other]], statement, route)
      end
    end
    private_constant :Address, :First

    # No silence counts: on a busy machine those that the test makes last, and another host is there.
    #
    # @yieldparam db [Postgres::Client] with a connection to each
    # @yieldparam proxies [Array<GateProxy>] of the standbys
    # @yieldparam standbys [Array<Bench::PostgresServer>]
    def hedging(connections: 1, **options)
      primary, standbys = ReplicaServers.shared.to_a
      proxies = standbys.map { |standby| GateProxy.new(standby) }
      in_host do
        replicated_client(primary, proxies.map { |proxy| Address.new(proxy.host, proxy.port) }, connections: connections, silence: nil, **options) do |db|
          @set = db.__send__(:readers).set
          assert_in_order(db)
          @set.replicas.each { |replica| replica.instance_variable_set(:@check_at, Float::INFINITY) } # a query of the lag would count as the test's read
          yield db, proxies, standbys
        end
      end
    ensure
      proxies&.each(&:close)
    end

    # Makes reads with the statement be hedged at once, with tokens for that.
    #
    # @return [Postgres::Reader]
    def late(db, sql, fallback: false, **options)
      budget = @set.instance_variable_get(:@hedging).instance_variable_get(:@budget)
      PROMPT.times { budget.fill }
      reads = db.replica(hedge: true, fallback: fallback, **options)
      times = reads.instance_variable_get(:@statements)[sql].response_times
      PROMPT.times { times << 0 }
      reads
    end

    # Within the block each read of the calling fiber or thread is sent to this replica first.
    def first_to(number)
      @set.extend(First)
      Thread.current[:first_replica] = number
      yield
    ensure
      Thread.current[:first_replica] = nil
    end

    # @return [Boolean] whether a read with the statement would wait there, by what it takes there
    def would_wait?(replica, statement)
      request = Postgres.const_get(:Request).query(statement, [])
      Postgres.const_get(:Read).new(request, Postgres.const_get(:ReadGuard).new).prepare_for(replica)
      replica.would_wait?(request)
    end

    # @return [Array<Array(Integer, Integer)>] reads that were sent to each replica as the second one, and that it has answered first
    def hedged(db) = db.stats[:replicas].first(2).map { |replica| replica.values_at(:hedged, :won) }

    # Asserts that nothing is in flight, and both replicas answer.
    def assert_in_order(db)
      assert(eventually { in_order?(db) }, -> { @set.pools.map(&:stats).to_s })
    end

    def in_order?(db)
      2.times { |number| first_to(number) { db.replica(fallback: false).value("SELECT 1") } }
      @set.replicas.first(2).all?(&:open?) && @set.pools.sum { |pool| pool.stats[:in_flight] }.zero?
    rescue Error
      false
    end

    def sql_of(lock) = "SELECT current_setting('port')::int FROM (SELECT pg_advisory_xact_lock_shared(#{lock})) AS locked"

    # Within the block a read by the SQL waits on that standby, until it is cancelled.
    #
    # @yieldparam sql [String]
    # @yieldparam waiters [Proc] counts those that wait
    def waiting_on(standby, lock = 77_002)
      holder = in_thread { PG.connect(standby.uri).tap { |connection| connection.exec("SELECT pg_advisory_lock(#{lock})") } }
      yield sql_of(lock), -> { in_thread { holder.exec("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").getvalue(0, 0).to_i } }
    ensure
      holder&.close
    end

    # Runs the block outside any scheduler, which need not be made for the pg gem.
    def in_thread(&block) = Thread.new(&block).value
  end
end
