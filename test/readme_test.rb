# frozen_string_literal: true

require "test_helper"
require "async"
require "securerandom"
require "stringio"
require "support/memcached_servers"

# The programs of the README and of the guides run as they stand there. Those of one page run one after the other, with `db` a
# client of the database that they call postgres:///app. 127.0.0.1:11211 is a memcached of the tests' own.
class ReadmeTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  README = File.join(ROOT, "README.md")
  GUIDES = Dir[File.join(ROOT, "guides/*.md")].sort
  TABLES = <<~SQL
    CREATE TABLE users (id int PRIMARY KEY, name text, born date);
    INSERT INTO users VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (42, 'Barbara', '1939-11-07');
    CREATE TABLE orders (id int);
    INSERT INTO orders VALUES (1), (2);
    CREATE TABLE accounts (id int, balance int);
    INSERT INTO accounts VALUES (1, 100), (2, 0)
  SQL
  private_constant :ROOT, :README, :GUIDES, :TABLES

  def test_the_programs_of_the_readme
    with_app do |db, uri|
      first, second = programs(README)
      assert_output("Barbara\n") { run_program(first, TOPLEVEL_BINDING.dup, uri) }
      assert_equal [[90], [10]], db.query("SELECT balance FROM accounts ORDER BY id").rows
      assert_equal ["Ada", "Grace"], run_program(second, binding, uri).first(2)
    end
  end

  GUIDES.each do |guide|
    define_method(:"test_the_programs_of_#{File.basename(guide, ".md").tr("-", "_")}") do
      with_app do |db, uri|
        scope = binding
        capture_io do
          programs(guide).each { |program| run_program(program, scope, uri) }
          assert_equal 1, db.value("SELECT 1")
        end
      end
    end
  end

  private

  # A database of the block's own, with the tables that the programs speak of.
  #
  # @yieldparam db [Trunkline::Postgres::Client]
  # @yieldparam uri [String]
  def with_app
    name = "app_#{SecureRandom.hex(6)}"
    postgres_server.psql("CREATE DATABASE #{name}")
    uri = postgres_server.uri(dbname: name)
    Trunkline.postgres(uri) do |db|
      db.execute_script(TABLES)
      yield db, uri
    end
  ensure
    postgres_server.psql("DROP DATABASE #{name} WITH (FORCE)")
  end

  # @return [Array<Array(String, String, Integer)>] text, page and first line of each
  def programs(page)
    text = File.read(page)
    text.to_enum(:scan, /^```ruby\n(.*?)^```/m).map { [$1, page, $~.pre_match.count("\n") + 2] }
  end

  def run_program(program, scope, uri)
    text, page, line = program
    text = text.gsub("127.0.0.1:11211") { Trunkline::MemcachedServers.server.address }
    eval(text.gsub("postgres:///app", uri), scope, page, line)
  end
end
