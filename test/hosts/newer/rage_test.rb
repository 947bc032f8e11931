# frozen_string_literal: true

require "test_helper"
require "json"
require "support/database_helpers"
require_relative "../../../bench/support/servers/web_server"

# Rage, which has an event loop and a scheduler of its own, and needs a newer Ruby than the gem does.
class RageTest < Trunkline::TestCase
  include DatabaseHelpers

  APPLICATION = File.expand_path("../web/rage/config.ru", __dir__)
  AT_ONCE = 12
  private_constant :APPLICATION, :AT_ONCE

  # Action -> what it answers for a number.
  ANSWERS = {
    "value" => :itself.to_proc, "transaction" => ->(number) { [number, true] }, "future" => ->(number) { [number, number + 1, number + 2] },
    "stream" => ->(number) { number * (number + 1) / 2 }, "large" => ->(number) { 300_000 + number }, "record" => ->(number) { "row #{number}" },
    "deadline" => ->(_) { "Trunkline::Deadline" }, "timed" => ->(_) { "Timeout::Error" },
    "enumerated" => ->(number) { [number * 2, "undefined method `+' for nil"] }
  }.freeze
  private_constant :ANSWERS

  def test_every_kind_of_query_in_many_requests_at_once
    serving do |server|
      ANSWERS.each do |action, right|
        numbers = 1.upto(AT_ONCE).to_a
        assert_equal numbers.map(&right), ask_all(server, numbers.map { |number| "/#{action}?number=#{number}" }), action
      end
    end
  end

  # Slow queries keep their connections, and the other requests share what is left.
  def test_requests_beside_slow_ones
    serving do |server, name|
      slow = Array.new(3) { Thread.new { server.get("/sleep").code } }
      assert_waits(name, "PgSleep")
      assert_equal 1.upto(AT_ONCE).to_a, ask_all(server, 1.upto(AT_ONCE).map { |number| "/value?number=#{number}" })
      psql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'") while slow.any?(&:alive?)
      assert_equal %w[500] * 3, slow.map(&:value)
    end
  end

  # What they asked for goes on without them, and the connections are there for others afterwards.
  def test_clients_that_hang_up
    serving do |server, name|
      sockets = Array.new(4) { TCPSocket.new("127.0.0.1", server.port).tap { |socket| socket << "GET /sleep HTTP/1.1\r\nHost: localhost\r\n\r\n" } }
      assert_waits(name, "PgSleep")
      sockets.each(&:close)
      assert_equal 1.upto(AT_ONCE).to_a, ask_all(server, 1.upto(AT_ONCE).map { |number| "/value?number=#{number}" })
      psql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'") while sleeping?(name)
      assert_equal 1.upto(AT_ONCE).to_a, ask_all(server, 1.upto(AT_ONCE).map { |number| "/value?number=#{number}" })
    end
  end

  private

  def sleeping?(name) = psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'") != ["0"]

  # @yieldparam server [Trunkline::Bench::WebServer]
  # @yieldparam name [String] the application_name of its client
  def serving
    name = unique_name
    psql("CREATE VIEW rage_rows AS SELECT n AS id, 'row ' || n AS name FROM generate_series(1, 100) AS n")
    environment = { "PGHOST" => postgres_server.socket_directory, "PGPORT" => postgres_server.port.to_s, "PGUSER" => "postgres", "PGDATABASE" => "postgres",
                    "NAME" => name, "RAGE_ENABLE_NON_BLOCKING_TIMEOUT" => "1" }
    Trunkline::Bench::WebServer.open(:rage, APPLICATION, env: environment) { |server| yield server, name }
  ensure
    psql("DROP VIEW rage_rows")
  end

  def ask_all(server, paths)
    responses = paths.map { |path| Thread.new { server.get(path) } }.map(&:value)
    assert_equal ["200"], responses.map(&:code).uniq, -> { "#{paths.first}: #{server.log}" }
    responses.map { |response| JSON.parse(response.body).fetch("value") }
  end
end
