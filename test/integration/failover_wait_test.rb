# frozen_string_literal: true

require "test_helper"
require "support/server_pair"

module Trunkline
  # Callers that wait while there is no primary.
  class FailoverWaitTest < TestCase
    include ServerPair

    CALLERS = 20
    private_constant :CALLERS

    # Each writes tokens of its own, by itself and in transactions, while the primary is stopped and the standby promoted.
    def test_nothing_that_was_not_sent_fails
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        with_writer(primary, standby, failover_wait: 30) do |db|
          assert_equal primary.port, port_of(db)
          replayed(primary, standby)
          primary.stop
          writers = Array.new(CALLERS) { |number| Thread.new { write(db, number) } }
          hurried = assert_raises(Deadline) { db.query("SELECT 1", deadline: 0.2) }
          refute_predicate hurried, :sent?
          assert eventually { db.stats[:queue].values_at(:to_share, :to_pin).sum >= CALLERS - 1 }
          standby.psql("SELECT pg_promote()")
          writers.each(&:value)
          assert_equal CALLERS.times.flat_map { |number| ["#{number} alone", "#{number} in a transaction"] }.sort,
                       standby.psql("SELECT token FROM tokens").split("\n").sort
        end
      end
    end

    # The standby is asked over one session, until callers have their connections.
    def test_the_standby_is_polled_for_its_promotion
      with_pair do |primary, standby|
        next if standby.version < 14 # which does not tell what it is

        with_writer(primary, standby, failover_wait: 600) do |db|
          primary.stop
          callers = Array.new(3) { Thread.new { port_of(db) } }
          questions = Array.new(2) { asked_anew(standby) }
          assert_equal 1, questions.map(&:first).uniq.size, "in one session"
          assert eventually { db.stats[:queue].values_at(:to_share, :to_pin).sum >= 2 }
          standby.psql("SELECT pg_promote()")
          assert_equal [standby.port] * 3, callers.map(&:value)
          assert eventually { questions_to(standby).empty? }
        end
      end
    end

    # A host that takes connections and says nothing holds no caller up once the standby is promoted.
    def test_a_standby_is_polled_while_another_host_is_silent
      with_pair do |primary, standby|
        next if standby.version < 14

        primary.stop
        TCPServer.open("127.0.0.1", 0) do |frozen|
          uri = "postgresql://postgres@/postgres?host=127.0.0.1,#{standby.socket_directory}&port=#{frozen.addr[1]},#{standby.port}&target_session_attrs=read-write&connect_timeout=600"
          Trunkline.postgres(uri, failover_wait: 600) do |db|
            caller = Thread.new { port_of(db) }
            2.times { asked_anew(standby) }
            hurried = assert_raises(Deadline) { db.query("SELECT 1", deadline: 0.2) }
            refute_predicate hurried, :sent?
            standby.psql("SELECT pg_promote()")
            assert_equal standby.port, caller.value
          end
        end
      end
    end

    # One that goes away is not asked any more, and one that comes back is asked again.
    def test_a_standby_that_goes_away_meanwhile
      with_pair do |primary, standby|
        next if standby.version < 14

        with_writer(primary, standby, failover_wait: 600) do |db|
          primary.stop
          caller = Thread.new { port_of(db) }
          before = asked_anew(standby).first
          standby.terminate(before.to_i)
          refute_equal before, asked_anew(standby) { |process,| process != before }.first
          standby.psql("SELECT pg_promote()")
          assert_equal standby.port, caller.value
        end
      end
    end

    # Nothing else is to be had: the reasons are told when the time is over.
    def test_the_time_is_over
      with_writer_of_nothing(failover_wait: 0.3) do |db|
        waiting = Array.new(3) { Thread.new { assert_raises(ConnectionError) { db.query("SELECT 1") } } }
        waiting.each { |thread| assert_equal 2, thread.value.reasons.size }
        assert_operator db.stats[:failed], :>, 1
      end
    end

    # Without it, the first attempt that fails is the error; and what would fail again is one in any case.
    def test_what_does_not_wait
      with_writer_of_nothing { |db| assert_raises(ConnectionError) { db.query("SELECT 1") } }
      Trunkline.postgres(postgres_server.uri(dbname: "not_there"), failover_wait: 600) { |db| assert_raises(LoginError) { db.query("SELECT 1") } }
      assert_raises(ArgumentError) { Limits.new(failover_wait: -1) }
    end

    private

    def with_writer(*servers, **options, &block)
      Trunkline.postgres(hosts_uri(*servers, target_session_attrs: "read-write"), connections: 2, max_connections: 4, **options, &block)
    end

    def with_writer_of_nothing(**options, &block)
      Trunkline.postgres("host=/nowhere,/nowhere-else dbname=app user=app target_session_attrs=read-write", **options, &block)
    end

    # @return [Array<Array(String, String)>] sessions that were asked for their server's role, and when
    def questions_to(server)
      server.psql("SELECT pid, query_start FROM pg_stat_activity WHERE query = 'SELECT pg_catalog.pg_is_in_recovery()'").split("\n").map { |row| row.split("|") }
    end

    # Waits for one more question.
    #
    # @return [Array(String, String)]
    def asked_anew(server)
      before = questions_to(server)
      found = nil
      assert eventually { found = (questions_to(server) - before).find { |question| !block_given? || yield(question) } }
      found
    end

    def write(db, number)
      db.query("INSERT INTO tokens VALUES ($1)", "#{number} alone")
      db.transaction { |tx| tx.query("INSERT INTO tokens VALUES ($1)", "#{number} in a transaction") }
    end
  end
end
