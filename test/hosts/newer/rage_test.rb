# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "json"
require "tmpdir"
require "support/database_helpers"
require "support/guide_code"
require_relative "../../../bench/support/servers/web_server"

# Rage, which has an event loop and a scheduler of its own, and needs a newer Ruby than the gem does.
class RageTest < Trunkline::TestCase
  include DatabaseHelpers

  APPLICATION = File.expand_path("../web/rage/config.ru", __dir__)
  AT_ONCE = 12
  private_constant :APPLICATION, :AT_ONCE

  # Action -> what it answers for a number.
  NO_PLUS = begin # in this Ruby's words
    nil + 1
  rescue NoMethodError => error
    error.message
  end
  ANSWERS = {
    "value" => :itself.to_proc, "transaction" => ->(number) { [number, true] }, "future" => ->(number) { [number, number + 1, number + 2] },
    "stream" => ->(number) { number * (number + 1) / 2 }, "large" => ->(number) { 300_000 + number }, "record" => ->(number) { "row #{number}" },
    "deadline" => ->(_) { "Trunkline::Deadline" }, "timed" => ->(_) { "Timeout::Error" },
    "enumerated" => ->(number) { [number * 2, *[NO_PLUS] * 2] }
  }.freeze
  # Has Rage's scheduler a hook for Timeout.
  TIMEOUTS = { "RAGE_ENABLE_NON_BLOCKING_TIMEOUT" => "1" }.freeze
  PROGRAM = %w[config/application.rb config/database.yml config/routes.rb app/controllers/users_controller.rb config.ru].freeze # files of the guide's
  private_constant :NO_PLUS, :ANSWERS, :TIMEOUTS, :PROGRAM

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

  # Ruby raises through the thread of the event loop, in what Iodine calls next: a request that only sleeps is never answered, and no client has
  # a part in it.
  def test_timeout_without_the_hook
    serving({}) do |server|
      asking = nil
      told = eventually do
        asking = Thread.new { server.get("/slept") } unless asking&.alive? # answered: the sleep was over before Timeout's thread ran
        server.log.include?("Iodine caught an unprotected exception - Timeout::ExitException: execution expired")
      end
      assert told, -> { server.log }
      assert_equal ["Trunkline::Deadline"] * AT_ONCE, ask_all(server, ["/deadline"] * AT_ONCE)
      assert_match(/Rage::FiberScheduler lacks the hook timeout_after: .*write deadline: instead/, server.log)
      assert_predicate asking, :alive?
    ensure
      asking&.kill
    end
  end

  def test_the_program_of_the_guide
    psql("CREATE TABLE users AS SELECT n::int AS id, 'user ' || n AS name FROM generate_series(1, 100) AS n; ALTER TABLE users ADD PRIMARY KEY (id)")
    in_folder do |folder|
      Trunkline::Bench::WebServer.open(:rage, "#{folder}/config.ru", env: { "QUERIES_URL" => postgres_server.tcp_uri, "NAME" => unique_name }) do |server|
        right = 1.upto(AT_ONCE).map { |number| [{ "name" => "user #{number}" }, { "count" => number }] }
        assert_equal right, 1.upto(AT_ONCE).map { |number| Thread.new { %w[users counts].map { |kind| told(server, "/#{kind}/#{number}") } } }.map(&:value)
      end
    end
  ensure
    psql("DROP TABLE users")
  end

  private

  # @yieldparam folder [String] with the guide's program, and what Rage's generator makes for every environment
  def in_folder
    Dir.mktmpdir do |folder|
      PROGRAM.each do |name|
        FileUtils.mkdir_p(File.dirname("#{folder}/#{name}"))
        File.write("#{folder}/#{name}", GuideCode.block("rage", /# #{Regexp.escape(name)}$/))
      end
      FileUtils.mkdir_p("#{folder}/config/environments")
      File.write("#{folder}/config/environments/production.rb", "")
      yield folder
    end
  end

  def told(server, path)
    response = server.get(path)
    assert_equal "200", response.code, -> { server.log }
    JSON.parse(response.body)
  end

  def sleeping?(name) = psql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '#{name}' AND wait_event = 'PgSleep'") != ["0"]

  # @param more [Hash{String => String}] of the server's environment
  # @yieldparam server [Trunkline::Bench::WebServer]
  # @yieldparam name [String] the application_name of its client
  def serving(more = TIMEOUTS)
    name = unique_name
    psql("CREATE VIEW rage_rows AS SELECT n AS id, 'row ' || n AS name FROM generate_series(1, 100) AS n")
    environment = { "PGHOST" => postgres_server.socket_directory, "PGPORT" => postgres_server.port.to_s, "PGUSER" => "postgres", "PGDATABASE" => "postgres",
                    "NAME" => name, **more }
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
