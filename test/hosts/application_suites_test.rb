# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "others/applications/suite"
require_relative "others/gems/comparison"

# The tests of a whole application run on the stock adapter and on both ways to this library's, in a copy that is changed as its user would.
class ApplicationSuitesTest < Trunkline::TestCase
  HOUSE = File.expand_path("../..", __dir__)
  VERSIONS = Gem.loaded_specs.slice("activerecord", "minitest", "pg", "rspec-core").transform_values { |gem| gem.version.to_s }
  GEMFILE = <<~RUBY
    source #{Gem.sources.to_a.first.inspect}
    gem "activerecord", #{VERSIONS["activerecord"].inspect}, require: "active_record"
    gem "minitest", #{VERSIONS["minitest"].inspect}
    gem "rspec-core", #{VERSIONS["rspec-core"].inspect}, require: false
    gem "pg", #{VERSIONS["pg"].inspect}
    gem "nowhere-to-be-had"
  RUBY
  CONFIGURATION = <<~TEXT
    test:
      adapter: postgresql

      database: shop
  TEXT
  # Its last test leaves a transaction open of which ActiveRecord does not know.
  TESTS = <<~RUBY
    require "minitest/autorun"
    require "yaml"
    Bundler.require
    class ShopTest < Minitest::Test
      def setup = ActiveRecord::Base.establish_connection(YAML.load_file("config/database.yml").fetch("test").merge(host: ENV.fetch("SHOP_HOST")))
      def connection = ActiveRecord::Base.lease_connection
      def test_database = assert_equal("shop", connection.select_value("SELECT current_database()"))
      def test_class = assert_equal("PostgreSQLAdapter", connection.class.name.split("::").last)
      def test_named = assert_equal("trunkline", ActiveRecord::Base.connection_db_config.adapter)
      def test_transaction = connection.transaction { assert_equal(1, connection.select_value("SELECT 1")) }
      def test_leaves_one_open
        connection.execute("BEGIN")
        connection.select_value("SELECT 2")
      end
      def teardown = ActiveRecord::Base.connection_pool.disconnect!
    end
  RUBY
  # The same, as examples of RSpec's.
  EXAMPLES = <<~RUBY
    require "socket"
    Bundler.require
    RSpec.describe "Shop" do
      before { ActiveRecord::Base.establish_connection(ENV.fetch("SHOP_URL")) }
      after { ActiveRecord::Base.connection_pool.disconnect! }
      let(:connection) { ActiveRecord::Base.lease_connection }
      def equal(expected, found) = expected == found || raise("\#{found} is not \#{expected}")
      it("has a database") { equal("shop", connection.select_value("SELECT current_database()")) }
      it("has a class") { equal("PostgreSQLAdapter", connection.class.name.split("::").last) }
      it("is named") { equal("trunkline", ActiveRecord::Base.connection_db_config.adapter) }
      it("has a Redis") { UNIXSocket.open(URI(ENV.fetch("SHOP_REDIS")).path) { |redis| redis.write("PING\\r\\n") && equal("+PONG\\r\\n", redis.gets) } }
      it("needs what is not here") { raise "it was to be left out" }
      it("takes long", :slow) { raise "its tag was to be left out" }
      it("leaves one open") { connection.execute("BEGIN") && connection.select_value("SELECT 2") }
    end
  RUBY
  SETTINGS = { "version" => "1.0", "files" => ["test/**/*_test.rb"], "without" => ["test/browser_test.rb"], "environment" => { "SHOP_HOST" => "%{host}" },
               "replaces" => { "Gemfile" => { %(gem "nowhere-to-be-had"\n) => "" } }, "prepare" => ["createdb shop", "echo $RAILS_ENV > made"], "compares" => ["made"] }.freeze
  LEFT_OUT = { "shop_spec" => { "Shop needs what is not here" => "a reason" } }.freeze
  OF_RSPEC = { "framework" => "rspec", "arguments" => ["--tag", "~slow"], "redis" => true, "files" => ["spec/*_spec.rb"], "left_out" => ApplicationSuite::MODES.to_h { |mode| [mode, LEFT_OUT] },
               "environment" => { "SHOP_URL" => "%{scheme}://postgres@127.0.0.1:%{port}/shop", "SHOP_REDIS" => "%{redis}" } }.freeze
  private_constant :HOUSE, :VERSIONS, :GEMFILE, :CONFIGURATION, :TESTS, :EXAMPLES, :SETTINGS, :LEFT_OUT, :OF_RSPEC

  def test_differences_are_reported_by_name
    with_application do |folder, suite|
      reports = suite.modes.to_h { |mode| [mode, suite.run(mode)] }
      assert_empty suite.changed
      assert_equal %w[ShopTest#test_leaves_one_open ShopTest#test_named], reports["stock"].failed.sort, reports["stock"].unexpected
      assert_match(/ActiveRecord has no transaction open, the server has one, after SELECT 2/, reports["stock"].unexpected["ShopTest#test_leaves_one_open"])
      assert_equal [5, 5, 5], reports.values.map { |report| report.totals[:runs] }
      assert_match(/one_line: ShopTest#test_class fails.*\nadapter: ShopTest#test_class fails/m, GemComparison.new(suite, reports).problems.join("\n"))
      assert_equal "| shop 1.0 | 5 | 2 | 1 more | 1 more |", GemComparison.new(suite, reports).row
      assert_equal GEMFILE, File.read("#{folder}/Gemfile")
    end
  end

  def test_examples_of_rspec_are_reported_by_name
    with_application(OF_RSPEC) do |_, suite|
      reports = suite.modes.to_h { |mode| [mode, suite.run(mode)] }
      assert_equal ["shop_spec#Shop is named", "shop_spec#Shop leaves one open"], reports["stock"].failed.sort, reports["stock"].unexpected
      assert_match(/ActiveRecord has no transaction open, the server has one, after SELECT 2/, reports["stock"].unexpected["shop_spec#Shop leaves one open"])
      assert_match(/one_line: shop_spec#Shop has a class fails.*\nadapter: shop_spec#Shop has a class fails/m, GemComparison.new(suite, reports).problems.join("\n"))
      assert_equal "| shop 1.0 | 5 | 2 | 1 more, 1 left out | 1 more, 1 left out |", GemComparison.new(suite, reports).row
    end
  end

  def test_a_copy_is_changed_as_its_user_would
    place = { host: "/socket", port: 5 }
    with_application do |folder, suite|
      changed = suite.modes.to_h { |mode| [mode, suite.checkout(mode, Dir.mktmpdir(nil, File.dirname(folder)), place)] }
      lines = changed.transform_values { |checkout| File.readlines(checkout.path("Gemfile"), chomp: true).last }
      assert_equal [%(gem "pg", #{VERSIONS["pg"].inspect}), %(gem "trunkline", path: #{HOUSE.inspect}, require: "trunkline/postgresql"), %(gem "trunkline", path: #{HOUSE.inspect})], lines.values
      assert_equal [CONFIGURATION, CONFIGURATION, CONFIGURATION.sub("postgresql", "trunkline")], changed.values.map { |checkout| File.read(checkout.path("config/database.yml")) }
    end
  end

  def test_what_is_not_there_cannot_be_replaced
    with_application("replaces" => { "Gemfile" => { "gem 'rails'" => "" } }) do |folder, suite|
      assert_match(/Gemfile has no "gem 'rails'"/, assert_raises(ArgumentError) { suite.checkout("stock", Dir.mktmpdir(nil, File.dirname(folder)), {}) }.message)
    end
  end

  def test_a_folder_without_such_tests_is_refused
    Dir.mktmpdir { |folder| assert_match(/no files/, assert_raises(ArgumentError) { ApplicationSuite.new("shop", SETTINGS, folder) }.message) }
    assert_match(/there is no suite shop; there are .*redmine/, assert_raises(ArgumentError) { ApplicationSuite.load("shop", "/") }.message)
  end

  def test_every_suite_has_what_a_run_needs_and_a_row_in_the_guide
    guide = File.read(File.join(HOUSE, "guides/tested-gems.md"), encoding: "UTF-8")
    refute_empty ApplicationSuite.names
    ApplicationSuite.names.each do |name|
      settings = ApplicationSuite.settings(name)
      assert_kind_of Array, settings["files"]
      assert_includes guide, "| #{name} #{settings.fetch("version")} |"
      %w[left_out differences].each { |key| assert_empty settings.fetch(key, {}).keys - ApplicationSuite::MODES }
    end
  end

  private

  def with_application(settings = {})
    Dir.mktmpdir do |scratch|
      folder = File.join(scratch, "checkout")
      { "Gemfile" => GEMFILE, "config/database.yml" => CONFIGURATION, "test/shop_test.rb" => TESTS, "test/browser_test.rb" => "abort", "spec/shop_spec.rb" => EXAMPLES }.each do |name, text|
        FileUtils.mkdir_p(File.dirname("#{folder}/#{name}"))
        File.write("#{folder}/#{name}", text)
      end
      yield folder, ApplicationSuite.new("shop", { **SETTINGS, **settings }, folder, kept: "#{scratch}/kept", gems: File.join(HOUSE, "vendor/bundle"))
    end
  end
end
