# frozen_string_literal: true

require "test_helper"
require "json"
require "puma"
require "rack/lint"
require "rack/mock"
require "support/browser"
require "support/children"
require "support/replica_servers"

# The dashboard, asked as Rack does it and looked at in a browser.
class DashboardTest < Trunkline::TestCase
  include Children
  include Trunkline::ReplicaServers

  ANY_USER = ->(_env) { true }

  def test_no_user_may_see_it_until_one_is_allowed
    with_client do |db|
      ["/", "/data.json", "/dashboard.js"].each do |path|
        response = get(Trunkline::Dashboard.new(db), path)
        assert_equal 403, response.status
        assert_includes response.body, "authorize: ->(env) { ... }"
      end
    end
  end

  def test_permission_is_checked_each_time
    with_client do |db|
      dashboard = Trunkline::Dashboard.new(db, authorize: ->(env) { env["HTTP_X_TOKEN"] == "open" })
      assert_equal [403, 403, 200], [get(dashboard, "/"), get(dashboard, "/data.json", "HTTP_X_TOKEN" => "shut"),
                                     get(dashboard, "/data.json", "HTTP_X_TOKEN" => "open")].map(&:status)
      refute_includes get(dashboard, "/").body, "authorize"
    end
  end

  def test_the_figures
    with_client do |db|
      db.value("SELECT 1")
      told = JSON.parse(get(Trunkline::Dashboard.new(db, authorize: ANY_USER), "/data.json").body)
      assert_equal [Process.pid, [db.stats[:server]], ["SELECT 1"]],
                   [told["pid"], told["clients"].map { |client| client["server"] }, told["clients"][0]["statements"].map { |statement| statement["sql"] }]
    end
  end

  def test_what_it_serves
    with_client do |db|
      dashboard = Trunkline::Dashboard.new(db, authorize: ANY_USER)
      types = %w[/ /dashboard.css /dashboard.js /chartkick.js /Chart.bundle.js /data.json].map do |path|
        response = get(dashboard, path)
        assert_equal 200, response.status, path
        assert_match(/script-src 'self';/, response["content-security-policy"])
        response.content_type[%r{/(\w+);}, 1]
      end
      assert_equal %w[html css javascript javascript javascript json], types
      assert_equal [404, 404], [get(dashboard, "/nothing"), get(dashboard, "/../dashboard.rb")].map(&:status)
    end
  end

  def test_methods
    with_client do |db|
      app = Rack::MockRequest.new(Rack::Lint.new(Trunkline::Dashboard.new(db, authorize: ANY_USER)))
      assert_equal [200, ""], [app.head("/").status, app.head("/").body]
      assert_equal [405, "GET, HEAD"], app.post("/").then { |response| [response.status, response["allow"]] }
    end
  end

  def test_its_address_ends_with_a_slash
    with_client do |db|
      response = get(Trunkline::Dashboard.new(db, authorize: ANY_USER), "/", "SCRIPT_NAME" => "/trunkline", "PATH_INFO" => "")
      assert_equal [302, "/trunkline/"], [response.status, response["location"]]
    end
  end

  def test_what_makes_no_sense_is_refused
    assert_raises(ArgumentError) { Trunkline::Dashboard.new(authorize: ANY_USER) }
    with_client do |db|
      assert_raises(ArgumentError) { Trunkline::Dashboard.new(db, "cache") }
      assert_raises(ArgumentError) { Trunkline::Dashboard.new(db, authorize: true) }
    end
  end

  def test_without_chartkick
    output, = run_program(<<~RUBY)
      Kernel.prepend(Module.new { def require(name) = name == "chartkick" ? raise(LoadError, name) : super })
      begin
        Trunkline::Dashboard.new(Trunkline.postgres("host=localhost"))
      rescue Trunkline::ConfigError => error
        puts error.message
      end
    RUBY
    assert_includes output, %(add gem "chartkick" to the Gemfile)
  end

  def test_in_a_browser
    sql = "SELECT '<b>bold</b>'"
    with_client do |db|
      db.value(sql)
      html = served(Trunkline::Dashboard.new(db, authorize: ->(_env) { db.value(sql) })) { |url| Browser.look_at(url, time: 10_000) }
      assert_includes html, "process #{Process.pid}"
      assert_equal 3, html.scan("<canvas").size, html
      assert_match(%r{<td>#{Regexp.escape(db.stats[:server])}</td><td>[1-4]</td>}, html)
      assert_match(%r{<td>SELECT '&lt;b&gt;bold&lt;/b&gt;'</td><td>\d+\.\d</td>(<td>\d+\.\d{3}</td>){3}<td>\d+</td><td>\d+\.\d\d</td>}, html)
      assert_match(/<p id="trouble" role="alert" hidden/, html)
    end
  end

  # A client whose first host is not there, and a caller that waits for its one connection.
  def test_hosts_and_what_waits_in_a_browser
    uri = "postgresql://postgres@/postgres?host=/nowhere,#{postgres_server.socket_directory}&port=1,#{postgres_server.port}"
    Trunkline.postgres(uri, max_connections: 1) do |db|
      waiting = nil
      html = db.transaction do |tx|
        tx.value("SELECT 1")
        waiting = Thread.new { db.value("SELECT 1") }
        Thread.pass until waiting.stop? && db.stats[:queue].values_at(:to_share, :to_pin).sum == 1
        served(Trunkline::Dashboard.new(db, authorize: ANY_USER)) { |url| Browser.look_at(url, time: 10_000) }
      end
      assert_equal 1, waiting.value
      assert_match(%r{<td>#{Regexp.escape(db.stats[:server])}</td><td>1</td><td>\d</td><td>1</td><td>0</td><td>1</td>}, html)
      assert_match(%r{<td>/nowhere:1/postgres</td><td>0</td><td>–</td><td>–</td><td>cannot connect .*?, \d+ s ago</td>}, html)
      assert_match(%r{<td>#{Regexp.escape(postgres_server.socket_directory)}:#{postgres_server.port}/postgres</td><td>1</td><td>primary</td><td>1</td><td>connected, }, html)
    end
  end

  def test_replicas_in_a_browser
    with_replicas do |db, _, standbys|
      told = eventually do
        db.replica(fallback: false).value("SELECT 1")
        db.stats[:replicas].first(2).all? { |replica| replica[:lag] && replica[:p99] }
      end
      assert told, db.stats[:replicas].to_s
      html = served(Trunkline::Dashboard.new(db, authorize: ANY_USER)) { |url| Browser.look_at(url, time: 10_000) }
      standbys.each do |standby|
        server = Regexp.escape("#{standby.socket_directory}:#{standby.port}/postgres")
        assert_match(%r{<td>#{server}</td><td>standby</td><td>\d+</td><td>\d+\.\d</td><td>\d+\.\d\d</td><td>\d+\.\d{3}</td>}, html, "reads, share, lag and p99")
      end
    end
  end

  def test_in_a_browser_that_may_not_look
    with_client do |db|
      assert_includes served(Trunkline::Dashboard.new(db)) { |url| Browser.look_at(url, time: 1000) }, "No request is authorized yet"
    end
  end

  private

  def get(app, path, env = {}) = Rack::MockRequest.new(Rack::Lint.new(app)).get(path, env)

  # @yieldparam url [String] of the application below a path of its own
  def served(app)
    mapped = ->(env) { app.call(env.merge("SCRIPT_NAME" => "/trunkline", "PATH_INFO" => env["PATH_INFO"].delete_prefix("/trunkline"))) }
    server = Puma::Server.new(mapped, nil, log_writer: Puma::LogWriter.null)
    port = server.add_tcp_listener("127.0.0.1", 0).addr[1]
    server.run
    yield "http://127.0.0.1:#{port}/trunkline"
  ensure
    server&.stop(true)
  end
end
