# frozen_string_literal: true

require "json"
require "trunkline"
require_relative "../instrumentation/snapshot"

module Trunkline
  # A Rack application that shows in a browser, live, what the clients of its process do. Chartkick, a gem of the host application, draws the charts.
  #
  #   map("/trunkline") { run Trunkline::Dashboard.new(db, cache, authorize: ->(env) { env["REMOTE_ADDR"] == "127.0.0.1" }) }
  #
  # It shows SQL, so it refuses every request until it is configured which are allowed.
  class Dashboard
    FILES = File.expand_path("dashboard", __dir__)
    HEADERS = {
      "cache-control" => "no-store", "x-content-type-options" => "nosniff", "referrer-policy" => "no-referrer",
      "content-security-policy" => "default-src 'none'; img-src data:; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " \
                                   "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    }.freeze
    UNAUTHORIZED = "No request is authorized yet: pass authorize:, as in Trunkline::Dashboard.new(db, authorize: ->(env) { ... })\n"
    private_constant :FILES, :HEADERS, :UNAUTHORIZED

    # @param clients [Array<Postgres::Client, Memcached::Client>]
    # @param authorize [#call, nil] takes the Rack environment of each request, and returns whether it is allowed. nil: none is
    # @raise [ArgumentError] one of them is not a client, or there is none; or authorize cannot be called
    # @raise [ConfigError] Chartkick is not installed
    def initialize(*clients, authorize: nil)
      Snapshot.check(clients)
      raise ArgumentError, "authorize must have a method call, as a Proc has" unless authorize.nil? || authorize.respond_to?(:call)

      @clients = clients
      @authorize = authorize
      @assets = assets
    end

    # @param env [Hash] Rack's environment
    # @return [Array(Integer, Hash, Array<String>)]
    def call(env)
      return respond(403, "text/plain", UNAUTHORIZED) unless @authorize
      return respond(403, "text/plain", "Access denied.\n") unless @authorize.call(env)
      return respond(405, "text/plain", "Only GET and HEAD are allowed.\n", "allow" => "GET, HEAD") unless %w[GET HEAD].include?(env["REQUEST_METHOD"])

      status, headers, body = show(env)
      [status, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : body]
    end

    # @return [String]
    def inspect = "#<#{self.class} of #{@clients.size} clients>"

    private

    # The page's URLs are relative to it, so its address ends with a slash.
    def show(env)
      path = env["PATH_INFO"].to_s
      return respond(302, "text/plain", "", "location" => "#{env["SCRIPT_NAME"]}/") if path.empty?
      return respond(200, "application/json", JSON.generate(Snapshot.take(@clients))) if path == "/data.json"

      type, file = @assets[path]
      file ? respond(200, type, File.read(file, encoding: Encoding::UTF_8)) : respond(404, "text/plain", "Not found.\n")
    end

    def respond(status, type, body, **headers)
      [status, { **HEADERS, "content-type" => "#{type}; charset=utf-8", "content-length" => body.bytesize.to_s, **headers }, [body]]
    end

    def assets
      drawing = File.join(chartkick, "vendor/assets/javascripts")
      {
        "/" => ["text/html", File.join(FILES, "page.html")], "/dashboard.css" => ["text/css", File.join(FILES, "dashboard.css")],
        "/dashboard.js" => ["text/javascript", File.join(FILES, "dashboard.js")],
        "/Chart.bundle.js" => ["text/javascript", File.join(drawing, "Chart.bundle.js")],
        "/chartkick.js" => ["text/javascript", File.join(drawing, "chartkick.js")]
      }.freeze
    end

    # @return [String] the gem's folder
    def chartkick
      require "chartkick"
      Gem.loaded_specs.fetch("chartkick").full_gem_path
    rescue LoadError
      raise ConfigError, %(the dashboard's charts are drawn by Chartkick: add gem "chartkick" to the Gemfile)
    end
  end
end
