# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "trunkline/postgres/cancel"

module Trunkline
  # Statements of real servers, cancelled.
  class CancelIntegrationTest < TestCase
    SLEEP = BackendMessages.message("Q", "SELECT pg_sleep(60)\0")
    private_constant :SLEEP

    def test_by_unix_socket_and_by_tcp
      [postgres_server.uri, postgres_server.tcp_uri].each { |uri| assert_cancelled(uri) }
    end

    private

    def assert_cancelled(uri)
      connection = Postgres::Connector.connect(Config.new(uri, env: {}))
      connection.io.write(SLEEP)
      Thread.pass until asleep?(connection)
      Postgres.const_get(:Cancel).send(connection.target, connection.backend_pid, connection.secret_key, deadline: nil)

      assert_includes connection.io.readpartial(1000), "\0C57014\0"
    ensure
      connection&.io&.close
    end

    def asleep?(connection)
      postgres_server.psql("SELECT wait_event FROM pg_stat_activity WHERE pid = #{connection.backend_pid}") == "PgSleep\n"
    end
  end
end
