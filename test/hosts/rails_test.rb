# frozen_string_literal: true

require "test_helper"
require "support/cable"
require "support/rails_serving"

# A Rails application whose database.yml says `adapter: trunkline`: its own tests, its tasks, and the servers that run it.
class RailsTest < Trunkline::TestCase
  include Trunkline::RailsServing

  CONNECTIONS = 8 # as config/database.yml has them
  private_constant :CONNECTIONS

  def setup
    super
    @application = Trunkline::RailsApplication.instance
  end

  # Then in two processes that are forked, with a database each.
  def test_its_own_tests
    assert_passed @application.rails("db:create", "db:test:prepare", "test", "RAILS_ENV" => "test")
    output = @application.rails("test", "RAILS_ENV" => "test", "ISOLATION" => "fiber", "WORKERS" => "2")
    assert_passed output
    assert_match(/in parallel using 2 processes/, output)
  end

  # In another database, which DATABASE_URL names.
  def test_the_tasks_for_databases
    schema = @application.read("db/schema.rb")
    assert_match(/create_enum "room_kind", \["open", "closed"\].*t.text "tags", default: \[\], null: false, array: true/m, schema)
    output = @application.rails("db:create", "db:migrate", "db:rollback", "db:migrate:status", "db:purge", "db:schema:load", "db:version", "db:drop",
                                **url("other"), "SCHEMA_FORMAT" => "sql")
    assert_match(/^\s+up\s+20240102000000.*^\s+down\s+20240103000000.*: 20240102000000$/m, output)
    assert_equal ["chat"], psql("SELECT datname FROM pg_database WHERE datname IN ('chat', 'other')")
    assert_match(/CREATE TYPE public.room_kind AS ENUM/, @application.read("db/structure.sql"))
  end

  def test_puma = serving(:puma, options: %w[-t 16:16]) { |server| [assert_serves(server), assert_cable(server)] }
  def test_falcon = serving(:falcon, options: %w[--count 1]) { |server| [assert_serves(server), assert_cable(server)] }
  def test_thin = serving(:thin, "THIN" => "1") { |server| assert_serves(server) }

  # A process for each request, with the connections that guides/one-request-per-process.md says.
  def test_two_processes_of_one_thread_that_were_forked_from_one_with_the_application
    env = url("chat", server_connections: 1, max_server_connections: 2)
    serving(:puma, **env, options: %w[-w 2 -t 1:1 --preload]) do |server|
      assert_many(server)
      pids = Array.new(40) { Thread.new { ask(server, "/process")["pid"] } }.map(&:value)
      refute_includes pids, server.pid
      assert_includes 1..2 * 2, sessions(@name).size
    end
  end

  def test_falcon_without_the_line_for_it
    serving(:falcon, "ISOLATION" => "thread", options: %w[--count 1]) do |server|
      assert_equal %w[Garden Kitchen], ask(server, "/rooms").first(2)
      assert_includes server.log, "add `config.active_support.isolation_level = :fiber` to config/application.rb"
    end
  end

  # While one process is stopped, the other one answers.
  def test_falcon_with_two_processes_that_were_forked_from_one_with_the_application
    serving(:falcon, options: ["--forked", "--count", "2", "--preload", "#{@application.folder}/preload.rb"]) do |server|
      assert_serves(server, processes: 3) # the one that they come from has asked too
      one = ask(server, "/process")
      Process.kill(:STOP, one["pid"])
      other = ask(server, "/process")
      refute_equal one["pid"], other["pid"]
      assert_equal [server.pid] * 2, [one, other].map { |process| process["loaded_by"] }
    ensure
      Process.kill(:CONT, one["pid"]) if one
    end
  end

  private

  def assert_serves(server, processes: 1)
    assert_equal ["403", "PG::Connection.new was called"], server.get("/process/libpq").then { |answer| [answer.code, answer.body] }
    assert_many(server)
    assert_goes_on(server)
    assert_includes 1..CONNECTIONS * processes, sessions(@name).size
    # The thread that asks holds one.
    assert eventually { ask(server, "/process").values_at("busy", "dead") == [1, 0] }
  end

  # An action that waits for the database is no reason for others to wait.
  def assert_goes_on(server)
    waiting = nil
    with_client(dbname: Trunkline::RailsApplication::DATABASE) do |db|
      db.session do |session|
        session.query("SELECT pg_advisory_lock(7)")
        waiting = Thread.new { server.get("/process/wait").body }
        assert eventually { psql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'").any? }
        assert_equal [%w[Garden Kitchen]] * 20, Array.new(20) { Thread.new { ask(server, "/rooms").first(2) } }.map(&:value)
      end
    end
    assert_equal "waited", waiting.value
  end

  # What one browser sends, another one hears of.
  def assert_cable(server)
    room = post(server, "/rooms", { name: @name })["id"]
    Trunkline::Cable.open(server.port) do |cable|
      cable.subscribe(channel: "RoomChannel", room: room)
      post(server, "/rooms/#{room}/messages", { body: "It's here" })
      assert_equal({ "body" => "It's here" }, cable.next_message)
    end
  end
end
