# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require "rack/mock"
require "trunkline/rack/session"

# Sessions of Rack in memcached.
class RackSessionTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  COUNTER = lambda do |env|
    session = env["rack.session"]
    session["count"] = (session["count"] || 0) + 1
    [200, { "content-type" => "text/plain" }, [session["count"].to_s]]
  end

  def test_a_session_continues
    app = app(COUNTER)
    first = request(app)
    assert_equal %w[1 2 3], [first.body, request(app, first).body, request(app, first).body]
    assert_equal "1", request(app).body
  end

  def test_an_id_that_was_not_given_is_replaced
    response = request(app(COUNTER), "rack.session=#{"a" * 32}")
    assert_equal "1", response.body
    refute_includes response["set-cookie"], "a" * 32
  end

  def test_dropped_and_renewed
    app = app(->(env) { COUNTER.call(env).tap { env["rack.session.options"][env["QUERY_STRING"].to_sym] = true } })
    first = request(app)
    renewed = request(app, first, "renew")
    assert_equal "2", renewed.body
    refute_equal cookie(first), cookie(renewed)
    assert_equal ["1", "3"], [request(app, first).body, request(app, renewed).body]
    request(app, renewed, "drop")
    assert_equal "1", request(app, renewed).body
  end

  def test_a_session_that_ended_meanwhile_stays_ended
    cache = Trunkline.memcached(memcached.address, namespace: Trunkline::MemcachedServers.namespace, timeout: 20)
    ending = ->(env) { COUNTER.call(env).tap { cache.delete(env["rack.session"].id.private_id) if env["QUERY_STRING"] == "end" } }
    app = Rack::Session::Trunkline.new(ending, cache: cache)
    first = request(app)
    assert_equal [401, 200], [request(app, first, "end").status, request(app, first).status]
  ensure
    cache&.close
  end

  def test_the_server_keeps_it_as_long_as_the_browser
    app = app(COUNTER, expire_after: 100)
    response = request(app)
    assert_match(/expires=/, response["set-cookie"])
    assert_equal "2", request(app, response).body
  end

  def test_an_unreachable_cache_leaves_the_session_empty
    app = Rack::Session::Trunkline.new(COUNTER, servers: "127.0.0.1:1")
    response = request(app)
    assert_equal ["1", 200], [response.body, response.status]
    assert_match(/ConnectionError: cannot connect/, response.errors)
  end

  # An application of Rails reads what it puts there itself from the environment.
  def test_in_rails
    require "action_controller"
    app = app(rails_action, key: "_shop", expires: 100, same_site: :lax)
    first = request(app, **rails)
    assert_match(/\A_shop=\h{32}; .*expires=.*samesite=lax/i, first["set-cookie"])
    seen = request(app, first["set-cookie"][/_shop=\h+/], **rails)
    assert_equal [["ActionDispatch::Request::Session", 1].inspect, ["ActionDispatch::Request::Session", 2].inspect], [first.body, seen.body]
    fresh = request(app, first["set-cookie"][/_shop=\h+/], "reset", **rails)
    refute_equal first["set-cookie"][/_shop=\h+/], fresh["set-cookie"][/_shop=\h+/]
    assert_equal "1", request(app(COUNTER)).body
  end

  def test_options
    assert_raises(ArgumentError) { app(COUNTER, nonsense: 1) }
  end

  private

  def app(inner, **options)
    Rack::Session::Trunkline.new(inner, { servers: memcached.address, namespace: "sessions", timeout: 20, **options })
  end

  def rails = { "action_dispatch.parameter_filter" => [] }

  def rails_action
    Class.new(ActionController::Base) do
      def self.name = "CountsController"

      def show
        reset_session if request.query_string == "reset"
        session[:count] = (session[:count] || 0) + 1
        render plain: [session.class.name, session[:count]].inspect
      end
    end.action(:show)
  end

  def request(app, cookie = nil, query = "", **environment)
    cookie = cookie(cookie) if cookie.is_a?(Rack::MockResponse)
    Rack::MockRequest.new(app).get("/?#{query}", { "HTTP_COOKIE" => cookie, **environment }.compact)
  end

  def cookie(response) = response["set-cookie"][/rack\.session=[^;]+/]
end
