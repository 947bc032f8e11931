# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require_relative "../../bench/support/servers/web_server"

# Web servers, started and asked for real.
class WebTest < Trunkline::TestCase
  include DatabaseHelpers

  EXAMPLES = File.expand_path("../../examples", __dir__)
  MEETING = File.expand_path("web/meeting.ru", __dir__)
  ACTIVE_RECORD = File.expand_path("web/active_record.ru", __dir__)
  SINATRA = File.expand_path("web/sinatra.ru", __dir__)

  def environment(**more)
    { "PGHOST" => postgres_server.socket_directory, "PGPORT" => postgres_server.port.to_s, "PGUSER" => "postgres",
      "PGDATABASE" => "postgres", **more.transform_keys(&:to_s) }
  end

  def serving(kind, rackup, options: [], **env, &block)
    Trunkline::Bench::WebServer.open(kind, rackup, env: environment(**env), options: options, &block)
  end

  def ask_all(server, paths) = paths.map { |path| Thread.new { server.get(path) } }.map(&:value)

  def assert_serves(server)
    assert_equal ["waited"], ask_all(server, ["/"] * 8).map(&:body).uniq
    assert_equal (1..20).map { |number| (number * 6).to_s }, ask_all(server, (1..20).map { |number| "/find?#{number}" }).map(&:body)
    assert_equal "reported\n", server.get("/report").body
    assert_equal "404", server.get("/nowhere").code
  end

  def test_the_example_for_thin = serving(:thin, "#{EXAMPLES}/thin/config.ru") { |server| assert_serves(server) }

  def test_the_example_for_falcon
    serving(:falcon, "#{EXAMPLES}/falcon/config.ru", options: %w[--count 2 --forked]) { |server| assert_serves(server) }
  end

  # falcon host starts its services by async-service, in processes of a container.
  def test_the_example_for_falcon_host = serving(:falcon_host, "#{EXAMPLES}/falcon/falcon.rb") { |server| assert_serves(server) }

  def test_the_example_for_puma
    serving(:puma, "#{EXAMPLES}/puma/config.ru", options: ["-C", "#{EXAMPLES}/puma/puma.rb"]) { |server| assert_serves(server) }
  end

  def test_the_example_for_puma_in_a_cluster
    serving(:puma, "#{EXAMPLES}/puma/config.ru", options: ["-C", "#{EXAMPLES}/puma/puma.rb"], WORKERS: "2", FORK_WORKER: "1") do |server|
      assert_serves(server)
    end
  end

  # Each pair can only end when both are served at once.
  def test_thin_continues_while_an_action_waits
    serving(:thin, MEETING, FIBERS: "1") do |server|
      assert_equal %w[met came], ask_all(server, %w[/wait /come]).map(&:body)
      assert_equal %w[met came], ask_all(server, %w[/pipeline /come]).map(&:body)
      locked { |waiting| waiting.call(server) && assert_equal("42", server.get("/value").body) }
    end
  end

  def test_sinatra_on_thin
    serving(:thin, SINATRA) do |server|
      assert_equal %w[met came], ask_all(server, %w[/wait /come]).map(&:body)
      locked { |waiting| waiting.call(server) && assert_equal("42", server.get("/value").body) }
    end
  end

  def test_active_record_on_thin
    serving(:thin, ACTIVE_RECORD) do |server|
      locked { |waiting| waiting.call(server) && assert_equal(["42"] * 20, ask_all(server, ["/value"] * 20).map(&:body)) }
    end
  end

  # An error in an action is the action's own.
  def test_an_action_that_raises
    serving(:thin, MEETING, FIBERS: "1") do |server|
      assert_equal "500", server.get("/broken").code
      assert_match(/broken \(KeyError\)/, server.log)
      assert_equal "42", server.get("/value").body
    end
  end

  def test_the_middleware_does_nothing_elsewhere
    serving(:puma, MEETING, FIBERS: "1") { |server| assert_equal "42", server.get("/value").body }
    serving(:falcon, MEETING, FIBERS: "1", options: %w[--count 1]) { |server| assert_equal "42", server.get("/value").body }
  end

  private

  # A query of the server's waits for a lock until the block is through.
  def locked
    action = nil
    with_client do |db|
      db.session do |session|
        session.query("SELECT pg_advisory_lock(7)")
        yield(lambda do |server|
          action = Thread.new { server.get("/query") }
          assert(eventually { psql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'").any? }, -> { "no query waits: #{server.log}" })
        end)
      end
    end
    assert_equal "200", action.value.code
  end
end
