# frozen_string_literal: true

require "test_helper"
require "active_support"
require "async"
require "stringio"
require "support/app"
require "support/leeway"
require "support/memcached_servers"
require "support/shown_values"

# The programs of the README and of the guides run as they stand there, and their lines return what is said behind them. Those of one
# page run one after the other, with `db` a client of the database that they call postgres:///app. 127.0.0.1:11211 is a memcached of the
# tests' own.
class ReadmeTest < Trunkline::TestCase
  include Leeway

  ROOT = File.expand_path("..", __dir__)
  README = File.join(ROOT, "README.md")
  GUIDES = Dir[File.join(ROOT, "guides/*.md")].sort
  # Times that the pages show, and those of the tests: a slow machine has not answered, or not even sent the request, within the shorter ones.
  TIMES = {
    'namespace: "app", timeout: 1)' => 'namespace: "app", timeout: 60)', "Trunkline.deadline(0.05) { cache" => "Trunkline.deadline(60) { cache",
    'pg_sleep(60)", deadline: 0.1)' => 'pg_sleep(60)", deadline: 0.5)'
  }.freeze
  private_constant :ROOT, :README, :GUIDES, :TIMES

  def setup
    super
    @isolation = ActiveSupport::IsolatedExecutionState.isolation_level
    @constants = self.class.constants(false)
  end

  # The next guide's programs may give their own classes the same names.
  def teardown
    (self.class.constants(false) - @constants).each { |name| self.class.send(:remove_const, name) }
    ActiveSupport::IsolatedExecutionState.isolation_level = @isolation
    super
  end

  # Pasted one behind the other into one program, in a database that is empty.
  def test_the_programs_of_the_readme
    App.open_empty(postgres_server) do |db, uri|
      texts, = programs(README).transpose
      names = nil
      assert_output("Barbara\n") { names = run_program([texts.join("\n"), README, 1], TOPLEVEL_BINDING.dup, uri) }
      assert_equal ["Ada", "Grace"], names.first(2)
      assert_equal [[90], [10]], db.query("SELECT balance FROM accounts ORDER BY id").rows
    end
  end

  # What it is comes before what it costs, and both before how to change it.
  def test_the_parts_of_the_readme_have_their_order
    parts = ["Is it for you?", "Install", "First program", "Compared", "Rails", "The two commands", "Status", "Guides"]
    assert_equal parts, File.read(README, encoding: "UTF-8").gsub(/^```.*?^```/m, "").scan(/^## (.+)$/).flatten
  end

  def test_each_guide_begins_with_the_task
    assert_empty(GUIDES.reject { |guide| File.read(guide, encoding: "UTF-8").match?(/\A# .+\n\nYou (want|run) /) })
  end

  GUIDES.each do |guide|
    define_method(:"test_the_programs_of_#{File.basename(guide, ".md").tr("-", "_")}") do
      App.open(postgres_server) do |db, uri|
        scope = binding
        capture_io do
          with_much_leeway { programs(guide).each { |program| run_program(program, scope, uri) } }
          assert_equal 1, db.value("SELECT 1")
        end
      end
    end
  end

  private

  # @return [Array<Array(String, String, Integer)>] text, page and first line of each
  def programs(page)
    text = File.read(page, encoding: "UTF-8")
    text.to_enum(:scan, /^```ruby\n(.*?)^```/m).map { [$1, page, $~.pre_match.count("\n") + 2] }
  end

  def run_program(program, scope, uri)
    text, page, line = program
    text = text.gsub(Regexp.union(TIMES.keys), TIMES).gsub("127.0.0.1:11211") { Trunkline::MemcachedServers.server.address }
    eval(ShownValues.checked(text.gsub("postgres:///app", uri)), scope, page, line)
  end
end
