# frozen_string_literal: true

require "test_helper"
require "support/chosen_pauses"
require "support/frozen_server"
require "support/pgbouncer"
require "support/resolver"
require "support/server_pair"
require_relative "../../bench/support/failover_load"

module Trunkline
  # A primary that hands over in good order under load, or is frozen, where what is connected to stays there and leads to a standby by then: a pooler, or a
  # name. No writer sees an error: none that the server is read-only either. TRUNKLINE_FAILOVER_REPORT=1 prints the figures.
  class SwitchoverTest < TestCase
    include ChosenPauses
    include FrozenServer
    include Resolver
    include ServerPair

    WRITERS = 20
    PAUSE = 0.01   # seconds between two writes of one
    ENOUGH = 200   # writes before and after
    PATIENCE = 60  # seconds for these
    NAME = "db.example"
    URI = "postgresql://postgres@#{NAME}:5432/postgres"
    private_constant :WRITERS, :PAUSE, :ENOUGH, :PATIENCE, :NAME, :URI

    # One pooler before each server. The first one leads to a standby afterwards. Between two attempts to connect there are two seconds at most, unless
    # the first of them took longer. There is none as long as PgBouncer holds the queries of all writers.
    def test_behind_poolers
      with_pair do |primary, standby|
        with_poolers(primary, standby) do |first, second|
          with_pauses_between_attempts do |pauses|
            with_writers("PgBouncer", "#{uri_of(first, second)}?target_session_attrs=read-write", standby, prepare: false) do
              paused_by = nil
              paused = -> { eventually { pauses.any? || now > (paused_by ||= now + 10) } }
              hand_over(primary, standby, paused) { first.lead_to(primary) }
            end
            assert_empty(pauses.reject { |pause| pause.seconds <= [pause.after, 2].max })
          end
        end
      end
    end

    # The first pooler lets new clients in, and its server says nothing. Until another one is promoted, the client looks for that once a second, and does not
    # look less often as time goes by.
    def test_behind_poolers_a_server_that_is_frozen
      with_synchronous_pair do |primary, standby|
        with_poolers(primary, standby) do |first, second|
          with_pauses_between_looks do |pauses|
            with_writers("PgBouncer, frozen", "#{uri_of(first, second)}?target_session_attrs=read-write", standby, prepare: false) do |db, load|
              frozen(primary) do
                assert eventually { pauses.any? || db.stats[:lost].positive? }, "no look at the server has ended"
                standby.psql("SELECT pg_promote()")
                now.tap { enough_more(load) }
              end
            end
            assert_empty pauses.map(&:seconds) - [1.0]
          end
        end
      end
    end

    # A pooler goes on to report what its server was as the pooler connected, whatever has become of that: a primary, and a standby again.
    def test_a_pooler_that_reports_what_its_server_was
      with_pair do |primary, standby|
        with_poolers(standby) do |pooler|
          Trunkline.postgres(uri_of(pooler)) { |db| assert_equal "on", db.value("SHOW transaction_read_only") }
          promote(standby, primary)
          Trunkline.postgres("#{uri_of(pooler)}?target_session_attrs=read-write") { |db| assert_equal standby.port, port_of(db) }
          pooler.lead_to(standby.tap(&:stop).follow(primary))
          error = assert_raises(UnsuitableServer) { Trunkline.postgres("#{uri_of(pooler)}?target_session_attrs=primary") { |db| port_of(db) } }
          assert_match(/\Ait is a standby/, error.message)
        end
      end
    end

    # A pooler that leads to a standby from a moment on refuses each write, and the next one takes it. Only where the next one says nothing for a second, as may
    # be on a busy machine, a write comes back to the first one. PgBouncer 1.18 counts a server connection that it was opening, and drops for the new
    # address, as a failed login: then it answers no client for server_login_retry.
    def test_behind_poolers_where_any_server_will_do
      with_pair do |primary, standby|
        with_poolers(primary, primary) do |first, second|
          with_silent_hosts do |silent|
            with_writers("PgBouncer, any server", uri_of(first, second), primary, refused: silent, prepare: false) do
              first.lead_to(standby)
              now
            end
          end
        end
      end
    end

    # The name leads to the former primary, which is a standby by then, until it is moved.
    def test_a_name_that_is_moved
      with_names do |primary, standby, names|
        with_writers("name", "#{URI}?target_session_attrs=read-write", standby) do |db|
          hand_over(primary, standby) { names[NAME] = address(primary) }
          assert eventually { db.stats[:hosts].first[:error]&.include?("read-only") }
          names[NAME] = address(standby)
          now
        end
      end
    end

    # Each writer has met the standby before the name is moved.
    def test_a_name_that_is_moved_where_any_server_will_do
      with_names do |primary, standby, names|
        names[NAME] = address(standby)
        Trunkline.postgres(URI, connections: 4) do |db|
          assert_equal [standby.port] * WRITERS, Array.new(WRITERS) { Thread.new { db.transaction { |tx| port_of(tx) } } }.map(&:value)
          names[NAME] = address(primary)
          moved_at = now
          told("name, any server", writing(db) { moved_at }, primary)
        end
      end
    end

    private

    def with_pair
      super do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        yield primary, standby
      end
    end

    # What is acknowledged is on the standby.
    def with_synchronous_pair
      with_pair do |primary, standby|
        primary.psql("ALTER ROLE postgres SET synchronous_commit = on; ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
        assert eventually { primary.psql("SELECT sync_state FROM pg_stat_replication") == "sync\n" }
        yield primary, standby
      end
    end

    def with_poolers(*servers, opened: [], &block)
      server, *others = servers
      return yield(*opened) unless server

      PgBouncer.open(server, pool: 8) { |pooler| with_poolers(*others, opened: [*opened, pooler], &block) }
    end

    def with_names
      with_pair do |primary, standby|
        names = { NAME => address(primary) }
        resolving(names) { yield primary, standby, names }
      end
    end

    def address(server) = Addrinfo.tcp("127.0.0.1", server.port)

    def uri_of(*poolers) = "postgresql://postgres@#{poolers.map { |pooler| "127.0.0.1:#{pooler.port}" }.join(",")}/postgres"

    # @param refused [Array] writes may fail as often as this is long
    # @yieldreturn [Float] when the server could be reached that takes writes from then on
    def with_writers(name, uri, promoted, refused: [], **options)
      Trunkline.postgres(uri, failover_wait: PATIENCE, **options) do |db|
        told(name, writing(db) { |load| yield db, load }, promoted, refused)
      end
    end

    # @return [Array(Bench::FailoverLoad, Float)] finished, and what the block returned
    def writing(db)
      load = Bench::FailoverLoad.over(db, WRITERS, pause: PAUSE)
      enough_more(load, since: 0)
      reachable_at = yield load
      enough_more(load)
      assert load.await_each(reachable_at, timeout: PATIENCE), -> { load.whereabouts }
      [load.tap(&:finish), reachable_at]
    end

    def enough_more(load, **since)
      assert load.await(ENOUGH, timeout: PATIENCE, **since), -> { load.whereabouts }
    end

    # @param meanwhile [#call] waits until the promotion may come
    # @return [Float] when the next primary could be reached
    def hand_over(primary, standby, meanwhile = -> {})
      primary.stop
      meanwhile.call
      standby.psql("SELECT pg_promote()")
      promoted_at = now
      primary.follow(standby)
      yield
      promoted_at
    end

    def told(name, (load, reachable_at), server, refused = [])
      figures = load.compared_with(server)
      assert_operator figures[:errors], :<=, refused.size, -> { load.whereabouts }
      assert_equal({ lost: 0, doubled: 0 }, figures.slice(:lost, :doubled))
      resumed = load.resumed_after(reachable_at)
      assert_equal WRITERS, resumed.size
      report = format("%<name>s: writers went on %<median>.0f ms (median), %<last>.0f ms (last) after the server could be reached; %<figures>s",
                      name: name, median: resumed[WRITERS / 2] * 1000, last: resumed.last * 1000, figures: figures)
      puts report if ENV["TRUNKLINE_FAILOVER_REPORT"]
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
