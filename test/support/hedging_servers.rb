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
    private_constant :Address

    # @yieldparam db [Postgres::Client] with a connection to each
    # @yieldparam proxies [Array<GateProxy>] of the standbys
    # @yieldparam standbys [Array<Bench::PostgresServer>]
    def hedging(connections: 1, **options)
      primary, standbys = ReplicaServers.shared.to_a
      proxies = standbys.map { |standby| GateProxy.new(standby) }
      in_host do
        replicated_client(primary, proxies.map { |proxy| Address.new(proxy.host, proxy.port) }, connections: connections, **options) do |db|
          @set = db.__send__(:readers).set
          assert_in_order(db)
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

    # Within the block each read is sent to this replica first.
    def first_to(number, &block)
      choose = lambda do |_guard, route, _statement = nil|
        other = (0..1).find { |at| !route.passed&.include?(at) && (at == number || route.passed) }
        other && @set.choose_among([@set.replicas[other]], @statement ||= Postgres.const_get(:Statement).new("SELECT 1", 0))
      end
      @set.stub(:choose, choose, &block)
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
  end
end
