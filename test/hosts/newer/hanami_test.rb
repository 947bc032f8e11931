# frozen_string_literal: true

require "test_helper"
require "json"
require "securerandom"
require "support/database_helpers"
require "support/hanami_application"
require_relative "../../../bench/support/servers/web_server"

# Hanami, whose ROM asks over Sequel, and whose commands go by the URL's scheme.
class HanamiTest < Trunkline::TestCase
  include DatabaseHelpers

  OURS = ["Sequel::Trunkline::Database", "postgres"].freeze
  STOCK = ["Sequel::Postgres::Database", "postgres"].freeze
  private_constant :OURS, :STOCK

  def test_an_application_from_its_generator_to_its_answers
    database = "hanami_#{SecureRandom.hex(6)}"
    application = Trunkline::HanamiApplication.new(database)
    assert_commands(application, database)
    serving(application) do |server|
      assert_equal OURS, told(server.get("/gateway"))
      assert_answers(server)
    rescue Minitest::Assertion => error
      flunk "#{error.message}\n#{server.log}"
    end
    serving(application, "TRUNKLINE_POSTGRESQL" => "stock") { |server| assert_equal [STOCK, "Ada"], [told(server.get("/gateway")), told(server.get("/books/1")).first] }
  ensure
    psql("DROP DATABASE IF EXISTS #{database} WITH (FORCE)")
  end

  private

  def assert_commands(application, database)
    application.hanami("db", "create")
    assert_match(/migrated/, application.hanami("db", "migrate"))
    assert_match(/20260101000000_create_books/, application.hanami("db", "version"))
    application.hanami("db", "structure", "dump")
    assert_match(/CREATE TABLE public.books.*INSERT INTO schema_migrations.*20260101000000_create_books/m, application.read("config/db/structure.sql"))
    psql("DROP DATABASE #{database} WITH (FORCE)")
    application.hanami("db", "prepare") # makes it from the structure
  end

  # @yieldparam server [Trunkline::Bench::WebServer]
  def serving(application, **more)
    rackup = File.join(application.folder, "config.ru")
    Trunkline::Bench::WebServer.open(:puma, rackup, env: { **application.environment, **more }, options: %w[-t 12:12 -C -]) { |server| yield server }
  end

  def assert_answers(server)
    assert_equal 2, told(server.post("/books", '["Ada", "Grace"]'))
    assert_equal ["ROM::SQL::UniqueConstraintError", "Key (title)=(Ada) already exists"], told(server.post("/books", '["Joan", "Ada"]'))
    assert_equal [["Ada", ["Ada", "a,b"], { "of" => "Ada" }, [1, 3], "poems"], ["Grace", ["Grace", "a,b"], { "of" => "Grace" }, [1, 5], "poems"]], told(server.get("/books"))
    assert_equal %w[Ada Grace] * 12, Array.new(24) { |number| Thread.new { told(server.get("/books/#{1 + (number % 2)}")).first } }.map(&:value)
  end

  def told(response)
    assert_equal "200", response.code, response.body
    JSON.parse(response.body)
  end
end
