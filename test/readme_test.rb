# frozen_string_literal: true

require "test_helper"
require "async"
require "stringio"

# The README's programs run as they stand there.
class ReadmeTest < Trunkline::TestCase
  README = File.expand_path("../README.md", __dir__)
  TABLES = <<~SQL
    CREATE TABLE users (id int PRIMARY KEY, name text, born date);
    INSERT INTO users VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (42, 'Barbara', '1939-11-07');
    CREATE TABLE orders (id int);
    INSERT INTO orders VALUES (1), (2);
    CREATE TABLE accounts (id int, balance int);
    INSERT INTO accounts VALUES (1, 100), (2, 0)
  SQL

  def test_the_programs
    with_server do |server|
      server.psql("CREATE DATABASE app")
      Trunkline.postgres(server.uri(dbname: "app")) do |db|
        db.execute_script(TABLES)
        assert_output("Barbara\n") { run_program(first_program, server) }
        assert_equal [[90], [10]], db.query("SELECT balance FROM accounts ORDER BY id").rows
        assert_equal ["Ada", "Grace"], fiber_program(db).first(2)
      end
    end
  end

  private

  def programs
    File.read(README).scan(/^```ruby\n(.*?)^```/m).flatten
  end

  def first_program
    programs.fetch(0)
  end

  def run_program(program, server)
    eval(program.sub("postgres:///app", server.uri(dbname: "app")), TOPLEVEL_BINDING.dup, README)
  end

  def fiber_program(db)
    eval(programs.fetch(1), binding, README)
  end
end
