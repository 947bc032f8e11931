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
    in_host_with_client(connections: 1, application_name: name = unique_name) do |db|
      pid = db.value("SELECT pg_backend_pid()")
      callers = [later { db.query("SELECT pg_sleep(20)") }, *Array.new(10) { |number| later { db.value("SELECT $1::int", number) } }]
      assert eventually { psql("SELECT count(*) FROM pg_stat_activity WHERE pid = #{pid} AND query LIKE '%pg_sleep(20)%'") == ["1"] }
      terminate(name)
      assert_equal [Trunkline::Indeterminate], callers.map { |caller| caller.error.class }.uniq
      assert callers.all? { |caller| caller.error.sent? && !caller.error.retriable? }
      assert_equal 7, db.value("SELECT $1::int", 7)
    end
  end

  def test_idle_ones_cost_nobody_an_error
    in_host_with_client(connections: 3, application_name: name = unique_name) do |db|
      3.times do
        assert_equal (1..60).to_a, side_by_side(1..60) { |number| db.value("SELECT $1::int", number) }
        terminate(name)
      end
      assert_equal 5, db.transaction { |tx| tx.value("SELECT 5") }
    end
  end

  def test_idle_ones_of_sessions_cost_nobody_an_error
    in_host_with_client(connections: 1, max_connections: 3, application_name: name = unique_name) do |db|
      3.times do
        assert_equal [1] * 5, (side_by_side(1..5) { db.transaction { |tx| tx.value("SELECT 1") } })
        terminate(name)
      end
    end
  end

  def test_a_server_that_is_started_again
    with_server do |server|
      in_host do
        Trunkline.postgres(server.uri, connections: 2, connect_timeout: 5) do |db|
          assert_equal (1..20).to_a, side_by_side(1..20) { |number| db.value("SELECT $1::int", number) }
          Thread.new { server.stop }.join
          assert_raises(Trunkline::ConnectionError) { Trunkline.postgres(server.uri, connect_timeout: 5) { |other| other.query("SELECT 1") } }
          assert_raises(Trunkline::Error) { db.query("SELECT 1") }
        end
      end
    end
  end

  # What waited to be written when the connection broke was not sent, and goes elsewhere.
  def test_what_was_not_sent_goes_elsewhere
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
end
