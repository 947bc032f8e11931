# frozen_string_literal: true

# What comes before graphql-ruby's own specs of its dataloaders: ActiveRecord on the adapter that ADAPTER names, on a server of this run, and what
# of their helpers these specs call. Those helpers load more gems, which these specs do not use.
require "bundler/setup"
$LOAD_PATH.unshift("#{Dir.pwd}/lib", "#{Dir.pwd}/spec")
require "rails"
require "active_record"
require "async"
require "globalid"
require "graphql"
require "logger"
require "sequel"
require "stringio"
require "minitest/autorun"
require "trunkline"
require_relative "../suites/journal"

$LOADED_FEATURES.push(File.realpath("spec/spec_helper.rb"))
ActiveSupport::IsolatedExecutionState.isolation_level = :fiber

# The specs name the stock adapter, and a server on localhost.
module ServerOfThisRun
  PLACE = { adapter: ENV.fetch("ADAPTER"), host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT") }.freeze

  def initialize(environment, name, configuration) = super(environment, name, configuration.merge(PLACE))
end
ActiveRecord::Base # which loads the next
ActiveRecord::DatabaseConfigurations::HashConfig.prepend(ServerOfThisRun)

# Some of their models are Sequel's, which are not asked for here.
module SequelOfThisRun
  def connect(_url) = super("postgres://postgres@/graphql_ruby_test?host=#{ENV.fetch("PGHOST")}&port=#{ENV.fetch("PGPORT")}")
end
Sequel.singleton_class.prepend(SequelOfThisRun)

# What the specs call of their helpers.
module SpecHelpers
  # In the specs' own words a parameter is a question mark, as with SQLite.
  def with_active_record_log(colorize: true)
    log = StringIO.new
    before = ActiveRecord::Base.logger
    ActiveRecord::Base.logger = Logger.new(log)
    yield
    (colorize ? log.string : log.string.gsub(/\e\[[;\d]+m/, "")).gsub(/\$\d+/, "?")
  ensure
    ActiveRecord::Base.logger = before
  end

  def assert_graphql_equal(expected, given)
    assert_equal expected, given
    assert_equal expected.keys, given.keys
  end

  # For the classes of specs.
  module Examples
    def it_dataloads(words, &block)
      it(words) { GraphQL::Dataloader.with_dataloading { |dataloader| instance_exec(dataloader, &block) } }
    end
  end
end
Minitest::Test.include(SpecHelpers)
Minitest::Test.extend(SpecHelpers::Examples)

def testing_rails? = true
ENV["DATABASE"] = "POSTGRESQL"
ENV["ISOLATION_LEVEL_FIBER"] = "1"
require "integration/rails/data"
