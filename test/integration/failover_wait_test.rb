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
          assert eventually { db.stats[:queue].values_at(:length, :alone).sum >= CALLERS - 1 }
          standby.psql("SELECT pg_promote()")
          writers.each(&:value)
          assert_equal CALLERS.times.flat_map { |number| ["#{number} alone", "#{number} in a transaction"] }.sort,
                       standby.psql("SELECT token FROM tokens").split("\n").sort
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

    def write(db, number)
      db.query("INSERT INTO tokens VALUES ($1)", "#{number} alone")
      db.transaction { |tx| tx.query("INSERT INTO tokens VALUES ($1)", "#{number} in a transaction") }
    end
  end
end
