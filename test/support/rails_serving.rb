# frozen_string_literal: true

require "json"
require_relative "database_helpers"
require_relative "rails_application"
require_relative "../../bench/support/servers/web_server"

module Trunkline
  # Web servers with the application of {RailsApplication}, and requests to them. The test has it as @application.
  module RailsServing
    include DatabaseHelpers

    ISOLATION = { puma: "thread", falcon: "fiber", thin: "fiber" }.freeze
    private_constant :ISOLATION

    private

    def url(database, **more)
      server = postgres_server
      options = URI.encode_www_form(host: server.socket_directory, port: server.port, **more)
      { "DATABASE_URL" => "trunkline://postgres@localhost/#{database}?#{options}",
        "RAILS_ENV" => "production", "DISABLE_DATABASE_ENVIRONMENT_CHECK" => "1" }
    end

    def serving(kind, options: [], **env, &block)
      @name = unique_name
      env = { **@application.environment, "PGAPPNAME" => @name, "RAILS_ENV" => "production", "ISOLATION" => ISOLATION.fetch(kind), **env }
      Trunkline::Bench::WebServer.open(kind, "#{@application.folder}/config.ru", env: env, options: options, &block)
    end

    def assert_passed(output)
      assert_match(/^[1-9]\d runs, \d+ assertions, 0 failures, 0 errors, 0 skips$/, output)
    end

    # A message each, all at once: all are kept, and their jobs are done.
    def assert_many(server)
      path = "/rooms/#{post(server, "/rooms", { name: @name })["id"]}"
      answers = Array.new(40) { |number| Thread.new { post(server, "#{path}/messages", { body: number.to_s, tags: [number] }) } }.map(&:value)
      assert_equal 40, answers.map { |answer| answer["id"] }.uniq.size
      assert_equal Array.new(40) { |number| [number.to_s, [number.to_s]] }.sort, ask(server, "#{path}/messages").map { |one| one.values_at("body", "tags") }.sort
      assert eventually { ask(server, path)["counted"] == 40 }
    end

    def ask(server, path) = JSON.parse(server.get(path).body)

    def post(server, path, values)
      answer = server.post(path, JSON.generate(values))
      assert_equal "201", answer.code, server.log
      JSON.parse(answer.body)
    end
  end
end
