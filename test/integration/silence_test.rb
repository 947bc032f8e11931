# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/each_host"
require "support/frozen_server"
require "support/gated"
require "support/leeway"
require "support/pgbouncer"
require "support/server_pair"

module Trunkline
  # A server that owes an answer and says nothing, where there is another one.
  module SilentWhileAsked
    include DatabaseHelpers
    include Gated
    include Leeway
    include ServerPair

    SILENCE = 0.2
    private_constant :SILENCE

    # Nothing goes through any more. Some callers have less time than it takes to find that out, which is a second.
    def test_it_is_given_up
      beside_another do |db, proxy|
        # no silence is noticed before both are in flight
        callers = with_stopped_clock { in_flight(proxy, *Array.new(2) { -> { assert_raises(Indeterminate) { ask(db, 1) } } }) }
        hurried = later { late_after_sending { db.value("SELECT 2", deadline: 0.1) } }
        idempotent = later { db.value("SELECT 3", idempotent: true) }
        proxy.stall
        assert_match(/has sent nothing for .* and does not respond to a new connection either/, callers.map(&:value).first.message)
        assert_equal 3, idempotent.value
        assert_kind_of Deadline, hurried.value
        assert_equal [4, 1], [ask(db, 4), db.stats[:lost]]
      end
    end

    # A look at the server is answered, by which the connection is left alone.
    def test_a_long_statement_is_left_to_its_server
      beside_another do |db|
        with_client(connections: 1) do |other|
          other.transaction do |holder|
            holder.query("SELECT pg_advisory_xact_lock(24)")
            with_seconds(:HostProbe, :ANSWER, within: Postgres) do # a busy machine answers late
              waiting = nil
              assert_equal(:reachable, first_finding { waiting = later { db.value("SELECT 5 FROM pg_advisory_xact_lock(24)") } })
              holder.rollback
              assert_equal 5, waiting.value
            end
          end
        end
        assert_equal 0, db.stats[:lost]
      end
    end

    private

    # @return [Symbol] what the first look that ends after the block has begun finds. A slow machine leaves the look after it to the leader's longest
    #   wait, which the reference scheduler and the hostile ones never end.
    def first_finding
      findings = Thread::Queue.new
      conclusions = TracePoint.new(:return) { |conclusion| findings << conclusion.binding.local_variable_get(:finding) }
      conclusions.enable(target: Postgres.const_get(:SilenceWatch).instance_method(:conclude))
      yield
      findings.pop
    ensure
      conclusions.disable
    end

    # Runs the block with a client that is connected through the proxy, and has not looked at the server yet, however long its first request took.
    def beside_another
      in_host do
        GateProxy.open(postgres_server) do |proxy|
          uri = "postgresql://postgres@/postgres?host=#{proxy.host},#{postgres_server.socket_directory}&port=#{proxy.port},#{postgres_server.port}"
          Trunkline.postgres(uri, max_connections: 1, silence: SILENCE) do |db|
            unhurried { with_stopped_clock { ask(db, 0) } }
            yield db, proxy
          end
        end
      end
    end
  end

  class SilenceTest < TestCase
    extend EachHost
    in_hosts SilentWhileAsked
    in_hostile_hosts SilentWhileAsked, hostilities: HOSTILITIES.slice(:Everything)

    # Where there is no other, the one there is is waited for. A name may lead to another.
    def test_a_single_address_is_not_looked_into
      assert_equal [Float::INFINITY, 2], [Limits.new(silence: nil).silence, Limits.new.silence]
      watch = Postgres.const_get(:SilenceWatch)
      hosts = ["127.0.0.1", "::1", "/tmp", "db.example hostaddr=127.0.0.1", "127.0.0.1,127.0.0.2", "db.example"]
      assert_equal [Float::INFINITY] * 4 + [3, 3], hosts.map { |host| watch.new(Config.new("host=#{host} user=ann", env: {}), 3).after }
    end
  end

  # The machine of a server is frozen: its kernel takes connections and packets, and no process of the server runs.
  class FrozenServerTest < TestCase
    include FrozenServer
    include Leeway
    include ServerPair

    def test_another_server_takes_what_comes_next
      with_pair do |primary, standby|
        Trunkline.postgres(hosts_uri(primary, standby), connections: 2, silence: 0.2) do |db|
          assert unhurried { eventually { Array.new(2) { Thread.new { db.value("SELECT 1 FROM pg_sleep(0.05)") } }.each(&:value) && db.connection_count == 2 } }
          assert_equal [primary.port, 2], [port_of(db), db.connection_count]
          frozen(primary) do
            assert_raises(Indeterminate) { port_of(db) }
            assert_equal [standby.port] * 2, [port_of(db), db.transaction { |tx| port_of(tx) }]
          end
        end
      end
    end

    # The pooler lets new clients in, and so it is there. Another host is on a higher timeline.
    def test_behind_a_pooler_another_server_was_promoted
      with_pair do |primary, standby|
        PgBouncer.open(primary, pool: 2) do |first|
          PgBouncer.open(standby, pool: 2) do |second|
            uri = "postgresql://postgres@127.0.0.1:#{first.port},127.0.0.1:#{second.port}/postgres?target_session_attrs=read-write"
            Trunkline.postgres(uri, prepare: false, silence: 0.2, failover_wait: 60) { |db| goes_over_to(standby, db, primary) }
          end
        end
      end
    end

    # As long as the server behind the pooler does not answer, looks do not become rarer: another host may be promoted at any time. Of a server that
    # answers they do.
    def test_behind_a_pooler_the_checks_continue
      with_pair do |primary, standby|
        PgBouncer.open(primary, pool: 2) do |first|
          PgBouncer.open(standby, pool: 2) do |second|
            Trunkline.postgres(first.uri, prepare: false) { |db| port_of(db) } # before that, the pooler lets no client in
            looking_at(first, second) do |look|
              frozen(primary) { assert_equal [SILENCE] * 3, Array.new(3) { look.call } }
              assert eventually { look.call == SILENT_FOR }
            end
          end
        end
      end
    end

    private

    SILENCE = 0.01
    SILENT_FOR = 100.0
    # A connection through a pooler on which nothing has come for long; what it is excused for.
    Silent = Struct.new(:server, :io, :excused) do
      def state = self
      def pooled = true
      def loss = nil
      def lose(_reason) = nil # a look at the pooler took too long
      def earliest_timeout = nil
      def silent_for = SILENT_FOR
      def postpone_silence_probe(seconds) = self.excused = seconds
    end
    private_constant :SILENCE, :SILENT_FOR, :Silent

    # @yieldparam look [#call] looks until there is a finding, and returns for how long the silence is excused
    def looking_at(*poolers)
      config = Config.new("postgresql://postgres@#{poolers.map { |pooler| "127.0.0.1:#{pooler.port}" }.join(",")}/postgres")
      TCPSocket.open("127.0.0.1", poolers.first.port) do |io|
        yield(lambda do
          watch = Postgres.const_get(:SilenceWatch).new(config, SILENCE, Postgres.const_get(:ClusterTimeline).new) { nil }
          silent = Silent.new(config.hosts.first.server, io)
          watch.check(silent) until silent.excused
          silent.excused
        end)
      end
    end

    def goes_over_to(standby, db, primary)
      assert_equal primary.port, port_of(db)
      replayed(primary, standby)
      frozen(primary) do
        with_seconds(:HostProbe, :ANSWER, within: Postgres) do # a busy machine's pooler answers late
          waiting = Thread.new { assert_raises(Indeterminate) { port_of(db) } }
          assert eventually { db.stats[:in_flight] == 1 }
          standby.psql("SELECT pg_promote()")
          assert_match(/former primary/, waiting.join(60)&.value&.message)
        end
        assert_equal standby.port, port_of(db)
      end
    end
  end
end
