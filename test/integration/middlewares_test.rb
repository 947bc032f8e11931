# frozen_string_literal: true

require "test_helper"
require "support/gated"

# Calls of a PostgreSQL client through middlewares.
class MiddlewaresIntegrationTest < Trunkline::TestCase
  # Writes down what comes by, and how it ends.
  module Log
    def self.entries = @entries ||= []

    def connect(server) = note(:connect, server) { super }
    def query(sql, parameters, server) = note(:query, sql, parameters) { super }
    def async(sql, parameters, server) = note(:async, sql, parameters) { super }
    def batch(queries, server) = note(:batch, queries) { super }
    def transaction(options, server) = note(:transaction, options) { super }

    private

    def note(*what)
      yield.tap { |result| Log.entries.push([*what, result.class]) }
    rescue Trunkline::Error => error
      Log.entries.push([*what, error.class])
      raise
    end
  end

  def setup
    super
    Log.entries.clear
  end

  def test_queries_in_all_their_forms
    with_client(middlewares: [Log]) do |db|
      db.query("SELECT 1 AS one")
      db.first("SELECT $1::int", 2)
      db.value("SELECT $1::int", 3)
      db.async("SELECT $1::int", 4).value
      db.with(keys: :symbol).query("SELECT 5")
      db.execute_script("SELECT 6; SELECT 7")
      assert_equal [:connect, :query, :query, :query, :async, :query, :connect, :query], names
      assert_equal [["SELECT 1 AS one", []], ["SELECT $1::int", [2]], ["SELECT $1::int", [3]]], Log.entries[1..3].map { |entry| entry[1, 2] }
      assert_equal [:query, "SELECT 6; SELECT 7", [], Array], Log.entries.last
    end
  end

  def test_what_a_query_returns_and_raises_passes_through
    with_client(middlewares: [Log]) do |db|
      assert_equal [42, "a"], [db.value("SELECT 42"), db.first("SELECT 'a' AS b")["b"]]
      assert_raises(Trunkline::UndefinedTable) { db.query("SELECT FROM nowhere") }
      assert_raises(Trunkline::Deadline) { db.query("SELECT pg_sleep(60)", deadline: 0.01) }
      assert_equal [Integer, Trunkline::Postgres::Result, Trunkline::UndefinedTable, Trunkline::Deadline], results(:query)
    end
  end

  def test_sessions_and_transactions_and_the_queries_in_them
    with_client(middlewares: [Log]) do |db|
      db.transaction(read_only: true) do |tx|
        tx.value("SELECT 1")
        tx.transaction { |savepoint| savepoint.value("SELECT 2") }
        db.value("SELECT 3")
        db.with(keys: :symbol).query("SELECT 4")
      end
      db.session { |session| session.transaction { |tx| tx.with(keys: :symbol).value("SELECT 5") } }
      assert_equal ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4", "SELECT 5"], Log.entries.select { |entry| entry[0] == :query }.map { |entry| entry[1] }
      assert_equal [[:transaction, { read_only: true }, Trunkline::Postgres::SymbolResult], [:transaction, {}, Integer]],
                   Log.entries.select { |entry| entry[0] == :transaction }
    end
  end

  def test_a_transaction_that_fails
    with_client(middlewares: [Log]) do |db|
      assert_raises(Trunkline::DivisionByZero) { db.transaction { |tx| tx.query("SELECT 1/0") } }
      assert_equal [Trunkline::DivisionByZero], results(:transaction)
    end
  end

  def test_batches
    with_client(middlewares: [Log]) do |db|
      db.batch { |batch| batch.query("SELECT 1").query("SELECT $1::int", 2) }
      db.batch(settings: { "work_mem" => "1MB" }) { |batch| batch.query("SELECT 3") }
      db.transaction { |tx| tx.batch { |batch| batch.query("SELECT 4") } }
      assert_raises(Trunkline::DivisionByZero) { db.batch(atomic: true) { |batch| batch.query("SELECT 1/0") } }
      assert_equal [[:batch, [["SELECT 1", []], ["SELECT $1::int", [2]]], Array], [:batch, [["SELECT 3", []]], Array],
                    [:batch, [["SELECT 4", []]], Array], [:batch, [["SELECT 1/0", []]], Trunkline::DivisionByZero]],
                   Log.entries.select { |entry| entry.first == :batch }
    end
  end

  def test_copies
    with_client(middlewares: [Log]) do |db|
      rows = []
      db.copy_out("COPY (SELECT 1) TO STDOUT") { |row| rows << row }
      db.session do |session|
        session.query("CREATE TEMP TABLE copied (id int)")
        assert_equal 2, session.copy_in("COPY copied FROM STDIN") { |copy| copy << [1] << [2] }
      end
      assert_equal [[[1]], ["COPY (SELECT 1) TO STDOUT", "CREATE TEMP TABLE copied (id int)", "COPY copied FROM STDIN"]],
                   [rows, Log.entries.select { |entry| entry.first == :query }.map { |entry| entry[1] }]
    end
  end

  def test_streams
    with_client(middlewares: [Log]) do |db|
      assert_equal [1, 2, 3], db.stream("SELECT generate_series(1, $1::int) AS number", 3).map { |row| row["number"] }
      db.with(keys: :symbol).stream("SELECT 1 AS one") { |row| assert_equal [[:one], 1], [row.keys, Log.entries.count { |entry| entry[0] == :query }] }
      db.transaction { |tx| tx.stream("SELECT 2") { break } }
      assert_raises(Trunkline::DivisionByZero) { db.session { |session| session.stream("SELECT 1 / (5 - number) FROM generate_series(1, 9) AS number") { nil } } }
      assert_equal [["SELECT generate_series(1, $1::int) AS number", [3]], ["SELECT 1 AS one", []],
                    ["SELECT 1 / (5 - number) FROM generate_series(1, 9) AS number", []]], Log.entries.select { |entry| entry[0] == :query }.map { |entry| entry[1, 2] }
      assert_equal Trunkline::DivisionByZero, results(:query).last
    end
  end

  def test_listening
    with_client(middlewares: [Log]) do |db|
      subscription = db.listen("a b", "c")
      db.notify("c", "payload")
      assert_equal "payload", subscription.wait.payload
      assert_equal [[:query, 'LISTEN "a b"; LISTEN "c"', [], Trunkline::Postgres::Subscription], [:query, "SELECT pg_catalog.pg_notify($1, $2)", %w[c payload], Trunkline::Postgres::Result]],
                   Log.entries.select { |entry| entry.first == :query }
      subscription.close
    end
  end

  def test_settings_of_one_query
    with_client(middlewares: [Log]) do |db|
      assert_equal "1MB", db.value("SELECT current_setting('work_mem')", settings: { "work_mem" => "1MB" })
      assert_equal [String], results(:query)
    end
  end

  def test_one_that_comes_later
    with_client do |db|
      db.value("SELECT 1")
      assert_same db, db.use(Log)
      db.value("SELECT 2")
      assert_equal [[:query, "SELECT 2", [], Integer]], Log.entries
    end
  end

  def test_connecting_that_fails
    Trunkline.postgres("host=127.0.0.1 port=1", middlewares: [Log]) do |db|
      assert_raises(Trunkline::ConnectionError) { db.value("SELECT 1") }
    end
    assert_equal [[:connect, "127.0.0.1:1/#{Etc.getpwuid.name}", Trunkline::ConnectionError], [:query, "SELECT 1", [], Trunkline::ConnectionError]],
                 Log.entries
  end

  def test_other_clients_know_nothing_of_it
    with_client(middlewares: [Log]) { with_client { |other| other.value("SELECT 1") } }
    assert_empty Log.entries
  end

  private

  def names = Log.entries.map(&:first)
  def results(name) = Log.entries.select { |entry| entry.first == name }.map(&:last)
end
