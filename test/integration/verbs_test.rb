# frozen_string_literal: true

require "suites"
require "json"
require "pathname"
require "set"
require "uri"
require "active_support"
require "active_support/core_ext/integer/time"
require "active_support/core_ext/numeric/time"
require "support/memcached_servers"

# What users call beside query, first and value, and what they do with the answers.
class VerbsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Trunkline::MemcachedServers

  User = Struct.new(:id, :name)
  Keyed = Struct.new(:id, :name, keyword_init: true)

  # Takes keywords, as Data does.
  class Person
    attr_reader :id, :name

    def initialize(id:, name: "none")
      @id = id
      @name = name
    end
  end

  USERS = "SELECT 1 AS id, 'Ada' AS name UNION ALL SELECT 2, 'Grace' ORDER BY 1"
  private_constant :USERS

  def test_rows_are_yielded
    in_host_with_client do |db|
      [db, db.with(settings: { statement_timeout: 60_000 }), db.prepare(USERS)].each do |asked|
        names = []
        arguments = asked.is_a?(Trunkline::Postgres::PreparedStatement) ? [] : [USERS]
        assert_equal 2, asked.query(*arguments) { |row| names << row["name"] }.size
        assert_equal %w[Ada Grace], names
      end
    end
  end

  def test_rows_become_objects
    in_host_with_client do |db|
      expected = [User.new(1, "Ada"), User.new(2, "Grace")]
      2.times do
        assert_equal expected, db.query(USERS, as: User).to_a
        assert_equal expected.first, db.first(USERS, as: User, settings: { statement_timeout: 60_000 })
        assert_equal expected, db.async(USERS, as: User).to_a
        assert_equal expected, db.stream(USERS, as: User).to_a
        assert_equal expected, db.query(USERS, as: User, settings: { statement_timeout: 60_000 }).to_a
      end
      assert_equal [Keyed.new(id: 1)], db.query("SELECT 1 AS id", as: Keyed).to_a
      assert_equal [User.new(1)], db.query("SELECT 1 AS id", as: User).to_a
      assert_equal [[1, "none"]], (db.query("SELECT 1 AS id", as: Person).map { |person| [person.id, person.name] })
    end
  end

  if defined?(Data.define)
    def test_rows_become_data
      point = Data.define(:x, :y)
      in_host_with_client { |db| assert_equal point.new(x: 1, y: 2), db.first("SELECT 1 AS x, 2 AS y", as: point) }
    end
  end

  def test_a_result_of_objects_has_the_rows_too
    in_host_with_client do |db|
      users = db.query(USERS, as: User)
      assert_equal [[1, "Ada"], { "id" => 1, "name" => "Ada" }, %w[Ada Grace], 2], [users.rows.first, users.each_hash.first, users.column(:name), users.size]
      assert_same users[0], users.first
      assert_equal JSON.generate([{ id: 1, name: "Ada" }, { id: 2, name: "Grace" }]), users.to_json
      assert_equal [1, "Ada"], db.with(keys: :symbol).query(USERS, as: User).each_hash.first.values_at(:id, :name)
    end
  end

  def test_what_cannot_become_objects_is_reported
    in_host_with_client do |db|
      assert_match(/as: takes a class .* not :user/, assert_raises(TypeError) { db.query("not sent", as: :user) }.message)
      assert_match(/as: takes a class/, assert_raises(TypeError) { db.stream("not sent", as: "User") }.message)
      error = assert_raises(ArgumentError) { db.query("SELECT 1 AS id, 2 AS age", as: User) }
      assert_equal "VerbsTest::User has no member age: its members are id, name", error.message
    end
  end

  def test_futures
    in_host_with_client do |db|
      future = db.async("SELECT generate_series(1, 3) AS n")
      assert_equal "#<Trunkline::Postgres::Future in flight: SELECT generate_series(1, 3) AS n>", future.inspect
      assert_equal [[[1], [2], [3]], { "n" => 1 }, [1, 2, 3]], [future.rows, future.first, future.map { |row| row["n"] }]
      assert_same future.value, future.each { |row| row }
      assert_match(/ done: /, future.inspect)
      failed = db.async("SELECT 1 / 0")
      assert_raises(Trunkline::DivisionByZero) { failed.first }
      assert_match(/ failed: /, failed.inspect)
    end
  end

  def test_results_are_cached
    with_memcached do |server|
      in_host_with_client do |db|
        cache = Trunkline.memcached(server.address, timeout: 30)
        result = db.query("SELECT 1 AS id, 'Ada' AS name, now() AS at, 1.5 AS n, interval '1 day' AS d, int4range(1, 2) AS r, inet '::1' AS i, NULL AS z")
        2.times do
          kept = cache.fetch("users", 60) { result }
          assert_equal [result.to_a, result.rows, result.columns, result.types, result.modifiers, 1, []],
                       [kept.to_a, kept.rows, kept.columns, kept.types, kept.modifiers, kept.affected_rows, kept.notices]
        end
        users = cache.fetch("structs", 60) { db.query(USERS, as: User) }
        assert_equal users.to_a, cache.fetch("structs", 60) { flunk }.to_a
        assert_equal({ id: 1 }, Marshal.load(Marshal.dump(db.with(keys: :symbol).query("SELECT 1 AS id"))).first)
        assert_equal 1, Marshal.load(Marshal.dump(db.query("DROP TABLE IF EXISTS none_here"))).notices.size
      end
    end
  end

  def test_json
    in_host_with_client do |db|
      result = db.query("SELECT 1 AS id, 'ü' AS name, NULL AS z, '{\"a\": [1]}'::jsonb AS doc, interval '1 day' AS d")
      expected = [{ "id" => 1, "name" => "ü", "z" => nil, "doc" => { "a" => [1] }, "d" => "P1D" }]
      assert_equal [expected, { "users" => expected }], [JSON.parse(result.to_json), JSON.parse(JSON.generate(users: result))]
    end
  end

  def test_a_column
    in_host_with_client do |db|
      assert_equal [1, 2, 3], db.column("SELECT generate_series(1, $1)", 3)
      assert_equal %w[Ada Grace], db.prepare(USERS).query.column(:name)
      assert_match(/the statement returned none/, assert_raises(IndexError) { db.column("DROP TABLE IF EXISTS none_here") }.message)
    end
  end

  def test_ping
    in_host_with_client do |db|
      assert_equal [true, true], [db.ping, db.ping(deadline: 60)]
      db.transaction do |tx|
        assert_raises(Trunkline::SyntaxError) { tx.query("SELEC") }
        assert tx.ping
        tx.rollback
      end
      db.close
      assert_raises(Trunkline::Closed) { db.ping }
    end
  end

  def test_plans
    in_host_with_client do |db|
      assert_match(/\AResult  \(cost=[^)]*\)\z/, db.explain("SELECT $1::int", 1))
      plan = db.explain("SELECT :n::int AS n", { n: 1 }, analyze: true, verbose: true)
      assert_match(/actual time/, plan)
      assert_match(/Output: 1/, plan)
      with_table("id int") do |table|
        db.explain("INSERT INTO #{table} VALUES (1)")
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        db.explain("INSERT INTO #{table} VALUES (1)", analyze: true)
        assert_equal 1, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  def test_what_needs_a_block_says_so
    in_host_with_client do |db|
      [db, db.with(deadline: 60)].each do |asked|
        %i[transaction session batch].each { |verb| assert_match(/\A#{verb} takes a block: #{verb} { \|/, assert_raises(ArgumentError) { asked.public_send(verb) }.message) }
      end
      db.transaction { |tx| assert_raises(ArgumentError) { tx.transaction } }
      db.session { |session| assert_raises(ArgumentError) { session.transaction } }
      assert_equal 1, db.value("SELECT 1")
    end
  end

  # What goes as a parameter, the type, and what comes back.
  OTHERS = [
    [Set[1, 2], "int[]", [1, 2]], [Set[1, 2], "jsonb", [1, 2]], [Pathname("/a b"), "text", "/a b"], [URI("http://example.org/?a=b"), "text", "http://example.org/?a=b"],
    [[Pathname("/a,b")], "text[]", ["/a,b"]], [1.month + 1.5.days, "interval", Trunkline::Interval.new(months: 1, days: 1, microseconds: 43_200_000_000)],
    [-2.weeks, "interval", Trunkline::Interval.new(days: -14)], [1.month * 1.5, "interval", Trunkline::Interval.new(months: 1, days: 15)],
    [[1.hour], "interval[]", [Trunkline::Interval.new(microseconds: 3_600_000_000)]], [5.minutes, "int", 300], [1.5.minutes, "float8", 90.0], [1.minute, "numeric", 60]
  ].freeze
  private_constant :OTHERS

  def test_values_of_other_libraries
    in_host_with_client do |db|
      OTHERS.each { |value, type, expected| 2.times { assert_equal expected, db.value("SELECT $1::#{type}", value), "#{value.inspect} as #{type}" } }
      with_table("path text, seconds numeric") do |table|
        db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [Pathname("/a"), 1.minute] }
        db.copy_in("COPY #{table} FROM STDIN (FORMAT binary)") { |copy| copy << [Pathname("/b"), 2.minutes] }
        assert_equal [["/a", 60], ["/b", 120]], db.query("SELECT * FROM #{table} ORDER BY 1").rows
      end
    end
  end
end
