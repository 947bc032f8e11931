# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/database_helpers"
require "trunkline/postgres/connect/cancel"

module Trunkline
  # Statements of real servers, cancelled.
  class CancelIntegrationTest < TestCase
    include DatabaseHelpers

    SLEEP = BackendMessages.message("Q", "SELECT pg_sleep(60)\0")
    private_constant :SLEEP

    def test_by_unix_socket_and_by_tcp
      [postgres_server.uri, postgres_server.tcp_uri].each { |uri| assert_cancelled(uri) }
    end

    # A server ignores a cancel that comes before it has begun the statement. Once the connection is closed nothing would tell that.
    def test_several_that_are_abandoned_end_though_a_cancel_comes_too_early
      [1, 2].each do |early|
        name = unique_name
        with_client(connections: 1, max_connections: 2, application_name: name) do |db|
          futures = Array.new(4) { db.async("SELECT pg_sleep(600)") }
          assert_waits(name, "PgSleep")
          assert_equal 4, db.stats[:in_flight]
          ignoring_cancel(early, -> { assert_waits(name, "PgSleep") }) { futures.reverse_each(&:cancel) }
          assert_equal [Cancelled] * 4, futures.map { |future| assert_raises(Cancelled) { future.value }.class }
          assert_no_query_runs(name)
          assert_equal 1, db.value("SELECT 1")
        end
      end
    end

    private

    # @param early [Integer] counted from 1
    # @param begun [Proc] waits until the server executes a statement: the cancel after this one is sent then, as it may be the last one
    # @yield meanwhile this one is taken for dealt with, and never sent
    def ignoring_cancel(early, begun)
      cancel = Postgres.const_get(:Cancel)
      sent = 0
      original = cancel.method(:deliver)
      cancel.singleton_class.remove_method(:deliver)
      cancel.define_singleton_method(:deliver) do |*arguments, **options, &dealt_with|
        next dealt_with&.call if (sent += 1) == early

        begun.call if sent == early + 1
        original.call(*arguments, **options, &dealt_with)
      end
      yield
      raise "no cancel came after it" if sent <= early
    ensure
      cancel.singleton_class.remove_method(:deliver)
      cancel.define_singleton_method(:deliver, original)
    end

    def assert_cancelled(uri)
      connection = Postgres::Connector.connect(Config.new(uri, env: {}))
      connection.io.write(SLEEP)
      Thread.pass until asleep?(connection)
      Postgres.const_get(:Cancel).deliver(connection.endpoint, connection.backend_pid, connection.secret_key, deadline: nil)

      assert_includes connection.io.readpartial(1000), "\0C57014\0"
    ensure
      connection&.io&.close
    end

    def asleep?(connection)
      postgres_server.psql("SELECT wait_event FROM pg_stat_activity WHERE pid = #{connection.backend_pid}") == "PgSleep\n"
    end
  end
end
