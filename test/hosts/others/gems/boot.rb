# frozen_string_literal: true

# What comes before the tests of a gem: the adapter of the mode, and the server of this run in the place of the one that the tests configure.
require "bundler/setup"
require "active_record"
require "active_record/database_configurations"
require({ "stock" => "pg", "one_line" => "trunkline/postgresql", "adapter" => "trunkline" }.fetch(ENV.fetch("MODE")))
require_relative "../suites/journal" unless ENV["FRAMEWORK"] == "rspec"

# An application of the tests loads its own gems by name: those of this project, which Bundler would load with them, change Ruby and each other.
Bundler.define_singleton_method(:require) { |*| nil }

# A configuration of PostgreSQL's names this server and the adapter of the mode; others are what they were.
module ServerOfThisRun
  PLACE = { adapter: ENV.fetch("SUITE_ADAPTER"), host: ENV.fetch("PGHOST"), port: Integer(ENV.fetch("PGPORT")), username: "postgres" }.freeze

  def initialize(...)
    super
    return unless @configuration_hash[:adapter].to_s.match?(/\A(postgres|postgresql|trunkline)\z/)

    @configuration_hash = @configuration_hash.except(:user, :password).merge(PLACE).freeze
  end
end
ActiveRecord::DatabaseConfigurations::HashConfig.prepend(ServerOfThisRun)
ActiveRecord::DatabaseConfigurations::UrlConfig.prepend(ServerOfThisRun)

# In the modes of this library no connection is libpq's: one that a test opens by itself is the raw connection of an adapter's.
module OnlyRawConnections
  @adapters = []

  class << self
    # @return [Array<ActiveRecord::ConnectionAdapters::AbstractAdapter>] those whose raw connections tests have
    attr_reader :adapters
  end

  # Tests open one for each of them, and close none: each may take a connection of the server's. Its values are text, which ActiveRecord's are not.
  def connect(options = {}, **settings)
    settings = { **options, **settings }
    given = { **settings, **ServerOfThisRun::PLACE, max_server_connections: 300, database: settings[:dbname] || settings[:database] || "postgres" }.compact
    adapter = ActiveRecord::ConnectionAdapters.resolve(given.fetch(:adapter)).new(given)
    adapter.connect!
    OnlyRawConnections.adapters << adapter
    adapter.raw_connection.tap { |raw| raw.type_map_for_results = PG::TypeMapAllStrings.new }
  end
end

# For the class of libpq's connections. Sequel's, by which some tests look at their tables, are of a class below it.
module NoneOfLibpq
  def new(...)
    return super unless equal?(PG::Connection)

    raise("a connection of libpq's in the mode #{ENV.fetch("MODE")}")
  end

  def open(*arguments, **settings) = equal?(PG::Connection) ? PG.connect(*arguments, **settings) : super
  def connect(*arguments, **settings) = equal?(PG::Connection) ? PG.connect(*arguments, **settings) : super
end
unless ENV["MODE"] == "stock"
  require "pg"
  PG.singleton_class.prepend(OnlyRawConnections)
  PG::Connection.singleton_class.prepend(NoneOfLibpq)
end
