# frozen_string_literal: true

require "test_helper"
require "active_record"
require "active_record/connection_adapters/trunkline_adapter"
require "connection_pool"
require "pg"
require "sequel"
require "support/app"
require "support/children"
require "support/dalli_oracle"
require "support/memcached_servers"

# The tables of guides/coming-from.md that have a column before and a column after: both return the same. Cells without code are not
# looked at, nor those that are the name of a constant.
class MigrationTest < Trunkline::TestCase
  include Children
  include Trunkline::DalliOracle
  include Trunkline::MemcachedServers

  PAGE = File.expand_path("../guides/coming-from.md", __dir__)
  # A pipe within code is escaped in a table.
  CELL = /\|((?:\\\||[^|])*)/.freeze
  CONSTANT = /\A[A-Z][\w:]*\z/.freeze
  # The least number of rows that are run of each section.
  SECTIONS = { "From pg" => 23, "From pg behind connection_pool" => 9, "From Sequel's postgres adapter" => 4, "From ActiveRecord's own adapter" => 5,
               "From Dalli" => 10 }.freeze
  ASYNC_1 = { "BUNDLE_GEMFILE" => File.expand_path("support/async_postgres/Gemfile", __dir__), "BUNDLE_PATH" => File.expand_path("../vendor/async_postgres", __dir__) }.freeze
  private_constant :PAGE, :CELL, :CONSTANT, :SECTIONS, :ASYNC_1

  # What the table of ActiveRecord calls a model of the application.
  class Person < ActiveRecord::Base
    self.table_name = "users"
  end

  SECTIONS.each do |title, least|
    define_method(:"test_#{title.downcase.gsub(/\W+/, "_")}") do
      pairs = rows(title)
      assert_operator pairs.size, :>=, least
      with_clients { |scope, addresses| pairs.each { |before, after| assert_same_result before, after, scope, addresses } }
    end
  end

  # db-postgres has a process of its own: its IO objects close descriptors when they are collected, which may be others' by then.
  def test_from_db_postgres_and_em_pg_client
    assert_same_results_elsewhere("From db-postgres and em-pg-client") { |codes, uri| with_db_postgres(codes, uri) }
  end

  # It needs async 1 and pg 1.2, and so a bundle of its own, which bin/setup installs; pg 1.2 does not compile with newer Rubies.
  if RUBY_VERSION < "3.3"
    def test_from_async_postgres
      assert_same_results_elsewhere("From async-postgres") { |codes, uri| with_async_postgres(codes, uri) }
    end
  end

  private

  # @yieldparam codes [Array<String>] of the column before
  # @yieldreturn [Array] what they return in a process of their own
  def assert_same_results_elsewhere(title)
    pairs = rows(title)
    assert_operator pairs.size, :>=, 4
    results = App.open(postgres_server) { |_, uri| yield pairs.map(&:first), uri }
    App.open(postgres_server) do |db,|
      pairs.zip(results) { |(before, after), expected| assert_equal expected, run_code(after, binding, {}), before }
    end
  end

  def with_db_postgres(codes, uri)
    database, host, port, user = uri.match(%r{\A\w+:///(\w+)\?host=([^&]+)&port=(\d+)&user=(\w+)\z}).captures
    marshalled(*run_program(<<~RUBY))
      require "async"
      require "db/client"
      require "db/postgres"
      Sync do
        client = DB::Client.new(DB::Postgres::Adapter.new(**#{{ database: database, host: host, port: port.to_i, username: user }}))
        #{printed(codes)}
        client.close
      end
    RUBY
  end

  def with_async_postgres(codes, uri)
    program = <<~RUBY
      require "bundler/setup"
      require "async"
      require "pg"
      require "async/postgres/connection"
      Async do
        connection = Async::Postgres::Connection.new(#{uri.inspect})
        #{printed(codes)}
        connection.close
      end
    RUBY
    Bundler.with_unbundled_env { marshalled(*Open3.capture2e(ASYNC_1, RbConfig.ruby, "-", stdin_data: program)) }
  end

  def printed(codes)
    <<~RUBY
      results = [#{codes.map { |code| "(#{code})" }.join(",\n")}]
      puts "=\#{[Marshal.dump(results)].pack("m0")}"
    RUBY
  end

  # @return [Array] what {#printed} has printed
  def marshalled(output, status)
    assert status.success?, output
    assert_match(/^=/, output)
    Marshal.load(output[/^=(.*)$/, 1].unpack1("m0"))
  end

  def assert_same_result(before, after, scope, addresses)
    expected = run_code(before, scope, addresses)
    refute_nil expected, before
    assert_equal expected, run_code(after, scope, addresses), after
  end

  # What the code of the tables finds in its place.
  def with_clients
    App.open(postgres_server) do |db, uri|
      conn = ::PG.connect(uri)
      pool = ConnectionPool.new(size: 1) { ::PG.connect(uri) }
      with_cache do |cache|
        dalli = dalli(memcached.address, namespace: "before")
        caches = ConnectionPool.new(size: 1) { dalli }
        [cache, caches.with(&:itself)].each { |client| client.set("greeting", "hello", 60) }
        yield binding, { ":///app" => uri.sub(/\A\w+/, ""), "127.0.0.1:11211" => memcached.address }
      end
    ensure
      conn&.close
      pool&.shutdown(&:close)
      ActiveRecord::Base.remove_connection
    end
  end

  # @return [Array<Array(String, String)>] the code of each row of a section
  def rows(title)
    section = File.read(PAGE, encoding: "UTF-8")[/^## #{Regexp.escape(title)}\n.*?(?=^## |\z)/m]
    tables = section.scan(/^\| before \| after \|\n\| --- \| --- \|\n((?:\|.*\n)+)/).flatten
    pairs = tables.flat_map { |table| table.lines.map { |line| line.scan(CELL).flatten.first(2).map { |cell| cell[/`([^`]+)`/, 1].gsub("\\|", "|") } } }
    pairs.reject { |before, _| before.match?(CONSTANT) }
  end

  def run_code(code, scope, addresses)
    eval(code.gsub(Regexp.union(addresses.keys), addresses), scope, PAGE)
  end
end
