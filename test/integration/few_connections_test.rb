# frozen_string_literal: true

require "suites"
require "support/gate_proxy"

# Clients that may have one connection: by their own options, or as the server takes no more for their role.
class FewConnectionsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  MANY = 12
  private_constant :MANY

  def test_a_role_that_may_have_one_connection
    with_limited_role(1) do |role|
      in_host do
        Trunkline.postgres(postgres_server.uri(user: role)) do |db|
          db.query("SELECT 1") # or else several may be opened at the same moment, and the server refuse them all
          assert_everything_works(db)
          assert_equal 1, db.connection_count
        end
      end
    end
  end

  def test_a_role_that_has_as_many_as_it_may
    with_limited_role(3) do |role|
      in_host do
        Trunkline.postgres(postgres_server.uri(user: role), connections: 3) do |db|
          MANY.times.map { Caller.new { db.query("SELECT pg_sleep(0.01)") } }.each(&:value)
          assert_everything_works(db)
          assert_operator db.connection_count, :<=, 3
        end
      end
    end
  end

  # Its place is taken by another client: then trying again makes sense.
  def test_a_role_whose_connection_another_client_has
    with_limited_role(1) do |role|
      in_host do
        Trunkline.postgres(postgres_server.uri(user: role)) do |other|
          other.query("SELECT 1")
          Trunkline.postgres(postgres_server.uri(user: role)) do |db|
            [-> { db.query("SELECT 1") }, -> { db.transaction { |tx| tx.query("SELECT 1") } }].each do |call|
              error = assert_raises(Trunkline::TooManyConnections, &call)
              assert_equal [true, false], [error.retriable?, error.sent?]
            end
          end
        end
      end
    end
  end

  def test_a_client_with_one_connection
    in_host do
      Trunkline.postgres(postgres_server.uri, max_connections: 1) do |db|
        assert_everything_works(db)
        assert_equal 1, db.connection_count
      end
    end
  end

  def test_what_waits_for_the_only_connection_in_vain_learns_what_holds_it
    in_host do
      Trunkline.postgres(postgres_server.uri, max_connections: 1, max_wait: 0.05) do |db|
        subscription = db.listen("channel")
        error = assert_raises(Trunkline::Overloaded) { db.query("SELECT 1") }
        assert_match(/sessions, transactions or subscriptions hold all connections; there may be 1 \(max_connections\)/, error.message)
        error = assert_raises(Trunkline::Overloaded) { db.transaction { |tx| tx.query("SELECT 1") } }
        assert_match(/1 held: 1 by listen .*; there may be 1 \(max_connections\)/, error.message)
        subscription.close
        assert_equal 1, db.value("SELECT 1")
      end
    end
  end

  # A long statement has a connection of its own where that can be had. During the pause after an attempt that failed, those that are open are all there are.
  def test_a_long_statement_while_one_connection_is_left_and_no_other_can_be_opened
    GateProxy.open(postgres_server) do |proxy|
      in_host do
        Trunkline.postgres(proxy.uri, connections: 1, application_name: name = unique_name) do |db|
          pids = []
          pids << db.value("SELECT pg_backend_pid() FROM pg_sleep(0.05)") until pids.uniq.size > 1
          proxy.refuse
          psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}' AND pid <> #{pids.first}")
          assert eventually { proxy.connections == 1 }
          assert_equal [pids.first] * 3, Array.new(3) { db.value("SELECT pg_backend_pid() FROM pg_sleep(0.05)") }
        end
      end
    end
  end

  private

  # Queries, transactions, and sessions that leave something behind, whose connection is closed: of many callers at once.
  def assert_everything_works(db)
    callers = Array.new(MANY) do |number|
      Caller.new do
        [
          db.value("SELECT $1::int", number),
          db.transaction { |tx| tx.value("SELECT 1") + tx.value("SELECT $1::int - 1", number) },
          db.session { |session| session.query("CREATE TEMP TABLE made (number int)") && session.value("SELECT $1::int", number) },
          db.async("SELECT $1::int", number).value.value
        ]
      end
    end
    callers.each_with_index { |caller, number| assert_equal [number] * 4, caller.value }
  end

  def with_limited_role(limit)
    role = "limited#{SecureRandom.hex(6)}"
    psql("CREATE ROLE #{role} LOGIN CONNECTION LIMIT #{limit}")
    yield role
  ensure
    psql("DROP ROLE #{role}")
  end
end
