# frozen_string_literal: true

require "suites"

# Connections that end while they are used, and while they are not.
class LostConnectionsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Gated

  # Ends the sessions as an administrator would, and waits until they are gone.
  def terminate(name)
    psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}'")
    assert_no_sessions(name)
  end

  def test_in_flight
    in_host_with_client(connections: 1, max_connections: 2, application_name: name = unique_name) do |db|
      pid = db.value("SELECT pg_backend_pid()")
      callers = [later { db.query("SELECT pg_sleep(20)") }, *Array.new(10) { |number| later { db.value("SELECT $1::int", number) } }]
      assert eventually { psql("SELECT count(*) FROM pg_stat_activity WHERE pid = #{pid} AND query LIKE '%pg_sleep(20)%'") == ["1"] }
      terminate(name)
      assert_equal [Trunkline::Indeterminate], callers.map { |caller| caller.error.class }.uniq
      assert callers.all? { |caller| caller.error.sent? && !caller.error.retriable? }
      assert_equal 7, db.value("SELECT $1::int", 7)
    end
  end

  def test_idle_ones_cost_no_caller_an_error
    in_host_with_client(connections: 3, application_name: name = unique_name) do |db|
      3.times do
        assert_equal (1..60).to_a, side_by_side(1..60) { |number| db.value("SELECT $1::int", number) }
        terminate(name)
      end
      assert_equal 5, db.transaction { |tx| tx.value("SELECT 5") }
    end
  end

  def test_idle_ones_of_sessions_cost_no_caller_an_error
    in_host_with_client(connections: 1, max_connections: 3, application_name: name = unique_name) do |db|
      3.times do
        assert_equal [1] * 5, (side_by_side(1..5) { db.transaction { |tx| tx.value("SELECT 1") } })
        terminate(name)
      end
    end
  end

  # While it is away each query fails, and was not sent; as soon as it is back, none does.
  def test_a_server_that_is_started_again
    with_restarts do |db, restart|
      2.times do
        assert_equal (1..20).to_a, side_by_side(1..20) { |number| ask(db, number) }
        restart.call { assert_refused(side_by_side(1..5) { |number| assert_raises(Trunkline::Error) { ask(db, number) } }) }
      end
      assert_equal (1..20).to_a, side_by_side(1..20) { |number| ask(db, number) }
      assert_equal 7, (db.transaction { |tx| ask(tx, 7) })
    end
  end

  # A caller that asks when it is still away, soon after an attempt has failed, waits for the next attempt, which stands for all.
  def test_many_callers_of_a_server_that_is_away
    with_restarts do |db, restart|
      restart.call do |proxy|
        3.times { assert_refused(side_by_side(1..50) { |number| assert_raises(Trunkline::Error) { ask(db, number) } }) }
        assert_operator proxy.refused, :<=, 20
      end
      assert_equal (1..50).to_a, side_by_side(1..50) { |number| ask(db, number) }
    end
  end

  # Of 0.5 s a busy machine let the server end a session between its login and the first query.
  def test_a_server_that_ends_idle_sessions
    with_server(settings: { "idle_in_transaction_session_timeout" => "2s" }) do |server|
      # Since PostgreSQL 14 it does so by itself.
      server.psql("ALTER ROLE postgres SET idle_session_timeout = '2s'") if server.version >= 14
      in_host do
        Trunkline.postgres(server.uri, connections: 2, application_name: name = unique_name) do |db|
          ended_by_hand = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}' AND state = 'idle'"
          gone = lambda do
            Thread.new { server.psql(ended_by_hand) }.join if server.version < 14
            assert eventually { Thread.new { server.psql("SELECT 1 FROM pg_stat_activity WHERE application_name = '#{name}'") }.value.empty? }
          end
          2.times do
            assert_equal (1..9).to_a, side_by_side(1..9) { |number| ask(db, number) }
            assert_equal [5] * 4, side_by_side(1..4) { db.transaction { |tx| ask(tx, 5) } }
            gone.call
          end
          # From then on they are replaced before.
          assert_in_delta 1.8, db.instance_variable_get(:@pool).idle_limit if server.version >= 14
          error = assert_raises(Trunkline::Error) { db.transaction { |tx| ask(tx, 1) && gone.call && ask(tx, 2) } }
          assert_match(/idle-in-transaction timeout/, error.message)
          assert_equal 1, ask(db, 1)
        end
      end
    end
  end

  # The server has begun nothing of a COMMIT, a RELEASE SAVEPOINT or a ROLLBACK that comes when the transaction has been idle for too long: it is
  # lost, and may be run again.
  def test_a_transaction_that_has_been_idle_for_too_long_as_its_end_is_sent
    ends = { commit: ->(_, hold) { hold.call }, roll_back: ->(_, hold) { hold.call && raise(Trunkline::Rollback) },
             release: ->(tx, hold) { tx.transaction { |inner| inner.query("SELECT 1") && hold.call } } }
    errors = ends.transform_values do |last|
      gated { |db, proxy| idle_for_too_long(proxy) { |hold| db.transaction { |tx| tx.query("SET LOCAL idle_in_transaction_session_timeout = 300") && last.call(tx, hold) } } }
    end
    assert_equal({ commit: [Trunkline::ConnectionError, true], roll_back: nil, release: [Trunkline::ConnectionError, true] }, errors)
  end

  # The others serve while one is opened again.
  def test_one_of_several_that_is_lost
    in_host_with_client(connections: 3, application_name: name = unique_name) do |db|
      side_by_side(1..60) { |number| ask(db, number) }
      3.times do
        pid = sessions(name).first
        psql("SELECT pg_terminate_backend(#{pid})")
        assert eventually { !sessions(name).include?(pid) }
        assert_equal (1..60).to_a, side_by_side(1..60) { |number| ask(db, number) }
      end
    end
  end

  # What waited to be written when the connection broke was not sent, and goes elsewhere.
  def test_what_was_not_sent_is_sent_to_another_server
    gated do |db, proxy|
      slow, = in_flight(proxy, -> { db.value("SELECT pg_sleep(20)") })
      proxy.hold(:requests)
      half_sent = later { db.value("SELECT length($1::text)", "x" * 30_000_000) }
      behind = Array.new(5) { |number| later { ask(db, number) } }
      assert_equal 1, proxy.disconnect
      %i[requests answers].each { |direction| proxy.release(direction) }
      assert_equal [Trunkline::Indeterminate] * 2, [slow, half_sent].map { |caller| caller.error.class }
      assert_equal (0...5).to_a, behind.map(&:value)
    end
  end

  private

  # @yieldparam hold [#call] from when on no request reaches the server, until it has ended the connection
  # @return [Array(Class, Boolean), nil] the error of the block's caller, and whether it is retriable
  def idle_for_too_long(proxy)
    caller = later { yield(-> { proxy.hold(:requests) || true }) }
    proxy.await { |policies| policies[:answers].messages["E"] == 1 }
    proxy.release(:requests)
    caller.error&.then { |error| [error.class, error.retriable?] }
  end

  # @yieldparam db [Trunkline::Postgres::Client]
  # @yieldparam restart [#call] stops the server, calls its block with the proxy before it, and starts the server again
  def with_restarts
    with_server do |server|
      in_host do
        GateProxy.open(server) do |proxy|
          restart = lambda do |&meanwhile|
            proxy.refuse
            Thread.new { server.stop }.join
            Thread.pass until proxy.connections.zero?
            meanwhile.call(proxy)
            Thread.new { server.start }.join
            proxy.refuse(false)
          end
          Trunkline.postgres(proxy.uri, connections: 2) { |db| yield db, restart }
        end
      end
    end
  end

  def assert_refused(errors)
    assert_equal [false, true], errors.flat_map { |error| [error.sent?, error.retriable?] }.uniq
  end
end
