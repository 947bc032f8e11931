# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "others/gems/comparison"
require_relative "others/gems/suite"

# The tests of a gem run on the stock adapter and on both ways to this library's, and what differs is told by its name.
class GemSuitesTest < Trunkline::TestCase
  # Its gem's tests see the adapter of the mode, and one of them cannot pass on this library's.
  TESTS = <<~RUBY
    require "minitest/autorun"
    class WidgetTest < Minitest::Test
      def setup = ActiveRecord::Base.establish_connection(adapter: "postgresql", host: "elsewhere", database: "widgets")
      def connection = ActiveRecord::Base.lease_connection
      def test_same = assert_equal("widgets", connection.select_value("SELECT current_database()"))
      def test_database_of_another_kind = assert_equal("sqlite3", ActiveRecord::DatabaseConfigurations::HashConfig.new("test", "primary", { adapter: "sqlite3" }).adapter)
      def test_bad_everywhere = flunk("as on the stock adapter")
      def test_named = assert_equal(ENV.fetch("WANTED"), connection.class.name.split("::").last)
      def test_own_connection = assert_equal("widgets", PG.connect(dbname: "widgets").exec("SELECT current_database()").getvalue(0, 0))
    end
  RUBY
  SETTINGS = { "version" => "1.0", "files" => ["test/*_test.rb"], "databases" => ["widgets"], "environment" => { "WANTED" => "PostgreSQLAdapter" } }.freeze
  private_constant :TESTS, :SETTINGS

  def test_differences_are_reported_by_name
    with_gem do |folder|
      reports = GemSuite.new("widgets", SETTINGS, folder).then { |suite| GemSuite::MODES.keys.to_h { |mode| [mode, suite.run(mode)] } }
      assert_equal ["WidgetTest#test_bad_everywhere"], reports["stock"].failed, reports["stock"].unexpected
      %w[one_line adapter].each do |mode|
        assert_equal ["WidgetTest#test_bad_everywhere", "WidgetTest#test_named"], reports[mode].failed.sort, reports[mode].unexpected
      end
      assert_told(folder, reports)
    end
  end

  def test_every_suite_has_what_a_run_needs_and_a_row_in_the_guide
    guide = File.read(File.expand_path("../../guides/tested-gems.md", __dir__), encoding: "UTF-8")
    refute_empty GemSuite.names
    GemSuite.names.each do |name|
      settings = YAML.load_file(File.join(GemSuite::FOLDER, "#{name}.yml"), aliases: true)
      assert_kind_of Array, settings["files"]
      assert_includes guide, "| #{name} #{settings.fetch("version")} |"
      assert_empty settings.fetch("modes", []) - GemSuite::MODES.keys
      %w[left_out differences].each { |key| assert_empty settings.fetch(key, {}).keys - GemSuite::MODES.keys }
    end
  end

  def test_a_folder_without_such_tests_is_refused
    Dir.mktmpdir { |folder| assert_match(%r{no files test/\*_test.rb in #{folder}}, assert_raises(ArgumentError) { GemSuite.new("widgets", SETTINGS, folder) }.message) }
    assert_match(/there is no suite widgets; there are .*ancestry/, assert_raises(ArgumentError) { GemSuite.load("widgets", "/") }.message)
  end

  def test_a_suite_that_runs_nothing_is_a_problem
    with_gem do |folder|
      empty = SuiteReport.new({})
      assert_equal ["no test ran in the stock mode"], comparison(folder, { "stock" => empty, "adapter" => empty }, {}).problems
    end
  end

  # As an application's schema is made before its tests.
  def test_what_comes_before_the_tests_runs_in_a_process_of_its_own
    with_gem do |folder|
      settings = { **SETTINGS, "prepare" => 'ActiveRecord::Base.establish_connection(adapter: "postgresql", database: "widgets").lease_connection.execute("CREATE TABLE made ()")' }
      report = GemSuite.new("widgets", settings, folder).run("adapter")
      assert_equal 5, report.totals[:runs]
      error = assert_raises(RuntimeError) { GemSuite.new("widgets", { **SETTINGS, "prepare" => "raise 'unprepared'" }, folder).run("adapter") }
      assert_match(/widgets: .*unprepared/m, error.message)
    end
  end

  private

  def with_gem
    Dir.mktmpdir do |folder|
      Dir.mkdir(File.join(folder, "test"))
      File.write(File.join(folder, "test/widget_test.rb"), TESTS)
      yield folder
    end
  end

  def assert_told(folder, reports)
    problems = comparison(folder, reports, {}).problems
    assert_equal 2, problems.size, problems
    assert_match(/\Aone_line: WidgetTest#test_named fails, and passes in the stock mode: .*TrunklineAdapter/m, problems.first)
    known = { "WidgetTest" => { "test_named" => "asks for the name of the class" } }
    assert_empty comparison(folder, reports, { "one_line" => known, "adapter" => known }).problems
    assert_equal "| widgets 1.0 | 5 | 1 | 1 more | 1 more |", comparison(folder, reports, {}).row
    stale = { "WidgetTest" => { "test_named" => "a reason", "test_same" => "a reason" } }
    assert_match(/adapter: WidgetTest#test_same is the same/, comparison(folder, reports, { "one_line" => known, "adapter" => stale }).problems.join)
  end

  def comparison(folder, reports, differences) = GemComparison.new(GemSuite.new("widgets", { **SETTINGS, "differences" => differences }, folder), reports)
end
