# frozen_string_literal: true

# What comes before pg's own specs: Trunkline::PG under pg's name, and a server of this run.
require "pathname"
require "timeout"
require "trunkline"

PG = Trunkline::PG
$LOADED_FEATURES.push("pg.rb")

# What the specs' helpers ask of the module, and of each connection between two examples.
module PG
  VERSION = "1.7.0" # which some of them look at

  class << self
    def library_version = 150_000
    def require_bigdecimal_without_warning = require("bigdecimal")
    def make_shareable(object) = object
  end

  module TestingHelpers
    # Stands for the helpers' own, which starts a server as the user who runs the specs.
    class PostgresServer
      # What the helpers call of it.
      module OfThisRun
        def initialize(name, **)
          @name = name
          @port = Integer(ENV.fetch("PGPORT"))
          @test_dir = Pathname(ENV.fetch("SERVER_FILES"))
          @conninfo = "host=localhost port=#{@port} user=postgres dbname=test"
          @unix_socket = ENV.fetch("SERVER_SOCKET")
        end

        def create_test_db = nil
        def teardown = nil
      end
      prepend OfThisRun
    end
  end
end

RSpec.configure do |config|
  # One that waits for what is not there must not hold up the others, and one that breaks the connection they share must not break them.
  config.around do |example|
    @conn.reset if @conn.is_a?(PG::Connection) && !@conn.finished? && @conn.status == PG::CONNECTION_BAD
    Timeout.timeout(20) { example.run }
  end
  # It would end this process before the report is written.
  config.after { $scheduler_timeout = nil }
end
