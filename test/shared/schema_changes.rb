# frozen_string_literal: true

module Shared
  # Tables change while they are read, by this client and by others; and statements that no session keeps. The test includes a
  # host.
  module SchemaChanges
    CHANGES = [
      "ALTER TABLE %s ALTER v TYPE text", "ALTER TABLE %s ADD w int DEFAULT 1", "ALTER TABLE %s ALTER v TYPE bigint USING v::bigint",
      "ALTER TABLE %s DROP w", "ALTER TABLE %s RENAME v TO x", "ALTER TABLE %s RENAME x TO v",
      "ALTER TABLE %s ALTER v TYPE numeric", "ALTER TABLE %s ALTER v TYPE int"
    ].freeze
    VALUES = [7, "7"].freeze
    private_constant :CHANGES, :VALUES

    # Each reader reads until all changes are made: none sees an error, or another value than the table's.
    def test_many_readers_while_one_change_follows_the_other
      while_read(readers, connections: 4) { |db, table| 5.times { CHANGES.each { |sql| db.query(format(sql, table)) } } }
    end

    def test_while_another_program_makes_the_changes
      while_read(50, connections: 3) { |_db, table| psql((CHANGES * 3).map { |sql| format(sql, table) }.join(";")) }
    end

    # What was known of the former table's parameters would have the server cast values to its types first, in silence.
    def test_a_table_that_is_made_anew_with_other_types
      with_table("v date") do |table|
        in_host_with_client(connections: 2) do |db|
          3.times { db.query("INSERT INTO #{table} VALUES ($1)", "2024-02-29 12:34:56") }
          db.query("DROP TABLE #{table}")
          db.query("CREATE TABLE #{table} (v timestamp)")
          3.times { db.query("INSERT INTO #{table} VALUES ($1)", "2024-02-29 12:34:56") }
          assert_equal [12], db.query("SELECT extract(hour FROM v)::int FROM #{table} GROUP BY 1").rows.flatten
        end
      end
    end

    # --- within a transaction ---

    def test_a_transaction_cannot_continue_and_its_error_says_what_to_do
      with_table("v int") do |table|
        in_host_with_client(connections: 1, max_connections: 2) do |db|
          db.query("SELECT 1")
          db.session { |session| session.query("SELECT * FROM #{table}") }
          psql("ALTER TABLE #{table} ADD w int")
          error = assert_raises(Trunkline::OutdatedStatement) { db.transaction { |tx| tx.query("SELECT * FROM #{table}") } }
          assert_equal [true, "0A000"], [error.retriable?, error.sqlstate]
          assert_equal %w[v w], (db.transaction { |tx| tx.query("SELECT * FROM #{table}").columns })
        end
      end
    end

    # The server says that a value does not fit the former type; what is true of it now is known behind the transaction's end.
    RETYPED = { "int" => 1, "date" => "2024-02-29", "int[]" => [1] }.freeze
    WAYS_TO_ASK = {
      "query" => ->(tx, sql, value) { tx.query(sql, value) }, "async" => ->(tx, sql, value) { tx.async(sql, value).value },
      "batch" => ->(tx, sql, value) { tx.batch { |batch| batch.query("SELECT 1") && batch.query(sql, value) } },
      "atomic batch" => ->(tx, sql, value) { tx.batch(atomic: true) { |batch| batch.query(sql, value) } },
      "savepoint" => ->(tx, sql, value) { tx.transaction { |inner| inner.query(sql, value) } }
    }.freeze
    private_constant :RETYPED, :WAYS_TO_ASK

    def test_a_transaction_whose_parameters_have_other_types_now
      RETYPED.to_a.product(WAYS_TO_ASK.to_a).each do |(type, before), (name, way)|
        with_table("v #{type}") do |table|
          in_host_with_client(connections: 1, max_connections: 1) do |db|
            sql = "SELECT v FROM #{table} WHERE v = $1"
            db.transaction { |tx| tx.query(sql, before) }
            psql("ALTER TABLE #{table} ALTER v TYPE text; INSERT INTO #{table} VALUES ('abc')")
            error = assert_raises(Trunkline::OutdatedStatement, name) { db.transaction { |tx| way.call(tx, sql, "abc") } }
            assert_match(/\A(?:22|42)/, error.sqlstate, name)
            assert_equal [true, Trunkline::ServerError], [error.retriable?, error.cause.class.superclass.superclass], name
            db.transaction { |tx| way.call(tx, sql, "abc") }
            assert_equal ["abc"], db.transaction { |tx| tx.query(sql, "abc").rows.flatten }, name
          end
        end
      end
    end

    # What stores is refused before it does, whether the value fits or not.
    def test_a_transaction_that_stores_into_columns_of_other_types_now
      WAYS_TO_ASK.each do |name, way|
        with_table("v real") do |table|
          in_host_with_client(connections: 1, max_connections: 2) do |db|
            sql = "INSERT INTO #{table} VALUES ($1)"
            2.times { db.transaction { |tx| tx.query(sql, 0.1) } } # over each of the two connections
            psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER v TYPE double precision")
            error = assert_raises(Trunkline::OutdatedStatement, name) { db.transaction { |tx| way.call(tx, sql, 0.1) } }
            assert_equal [true, "0A000"], [error.retriable?, error.sqlstate], name
            2.times { db.transaction { |tx| way.call(tx, sql, 0.1) } }
            assert_equal [0.1, 0.1], db.query("SELECT v FROM #{table}").rows.flatten, name
          end
        end
      end
    end

    # One that the caller has made stays what it is, and is no reason to run all of it again.
    def test_a_transaction_with_a_value_that_does_not_fit
      with_table("v int") do |table|
        in_host_with_client(connections: 1, max_connections: 2) do |db|
          sql = "INSERT INTO #{table} (v) VALUES ($1)"
          db.query(sql, 1)
          2.times do
            error = assert_raises(Trunkline::InvalidTextRepresentation) { db.transaction { |tx| tx.query(sql, "abc") } }
            refute_predicate error, :retriable?
          end
          assert_raises(Trunkline::InvalidTextRepresentation) { db.transaction { |tx| tx.query("SET LOCAL search_path = pg_catalog, public") && tx.query(sql, "abc") } }
          psql("ALTER TABLE #{table} ADD w int; ALTER TABLE #{table} DROP v")
          assert_raises(Trunkline::UndefinedColumn) { db.transaction { |tx| tx.query(sql, 2) } }
        end
      end
    end

    # What this client itself has changed, or found changed elsewhere, fails no transaction.
    def test_a_transaction_continues_where_the_client_knows_of_the_change
      with_table("v int") do |table|
        in_host_with_client(connections: 2, max_connections: 3) do |db|
          read = -> { db.query("SELECT * FROM #{table}").columns }
          2.times { db.session { later { read.call }.value && read.call } }
          db.transaction do
            assert_equal %w[v], read.call
            db.query("ALTER TABLE #{table} ADD w int")
            assert_equal %w[v w], read.call
          end
          assert_equal [%w[v w]] * 2, [later { read.call }.value, db.transaction { read.call }]
          psql("ALTER TABLE #{table} ADD x int")
          assert_equal [%w[v w x]] * 2, [read.call, db.transaction { read.call }]
        end
      end
    end

    def test_a_transaction_whose_statements_are_lost
      with_forgetting_function do |forget|
        in_host_with_client(connections: 1, max_connections: 2) do |db|
          db.query("SELECT 1")
          db.transaction { |tx| assert_equal [1, 1, 1], ["DEALLOCATE ALL", "DO 'BEGIN DEALLOCATE ALL; END'", "SELECT 1"].map { |sql| tx.query(sql) && tx.value("SELECT 1") } }
          error = assert_raises(Trunkline::OutdatedStatement) { db.transaction { |tx| tx.value("SELECT 1") && tx.query(forget) && tx.value("SELECT 1") } }
          assert_equal "26000", error.sqlstate
          assert_equal 1, (db.transaction { |tx| tx.value("SELECT 1") })
        end
      end
    end

    # --- without prepared statements ---

    def test_a_client_without_them
      in_host_with_client(connections: 2, prepare: false) do |db|
        assert_equal (1..40).to_a, side_by_side(1..40) { |number| db.value("SELECT $1::int", number) }
        assert_equal [[1, "ü", "\xFF".b]], db.query("SELECT $1::int, $2::text, $3::bytea", 1, "ü", "\xFF".b).rows
        assert_raises(Trunkline::DivisionByZero) { db.query("SELECT 1/0") }
        db.transaction { |tx| assert_equal [[1]], tx.query("SELECT $1::int", 1).rows }
        assert_equal [0], side_by_side(1..4) { db.value("SELECT count(*) FROM pg_prepared_statements") }.uniq
      end
    end

    def test_some_queries_without_them
      in_host_with_client(connections: 1) do |db|
        without = db.with(prepare: false)
        assert_equal [1, 2], [without.value("SELECT $1::int", 1), without.async("SELECT $1::int", 2).value.value]
        without.transaction { |tx| assert_equal 3, tx.value("SELECT $1::int", 3) }
        assert_equal 4, without.value("SELECT count($1::inet) + 3", IPAddr.new("10.0.0.1"))
        assert_equal 0, without.value("SELECT count(*) FROM pg_prepared_statements")
        assert_equal 5, db.value("SELECT $1::int", 5)
        assert_equal 1, without.value("SELECT count(*) FROM pg_prepared_statements")
      end
    end

    # A server session that others have used, or will: no name comes twice.
    def test_names_are_each_sessions_own
      names = Array.new(2) { with_client { |db| db.query("SELECT name FROM pg_prepared_statements").rows && db.value("SELECT name FROM pg_prepared_statements") } }
      assert_equal 2, names.uniq.size
    end

    private

    def readers = 30

    # Each of so many callers reads a row of its own, again and again while the block changes the table.
    def while_read(callers, **options)
      with_table("id int PRIMARY KEY, v int") do |table|
        psql("INSERT INTO #{table} SELECT n, 7 FROM generate_series(1, #{callers}) n")
        in_host_with_client(**options) do |db|
          done = false
          reading = (1..callers).map { |id| later { read(db, table, id) { done } } }
          yield db, table
          done = true
          assert_equal [true], reading.map(&:value).uniq
        end
      end
    end

    def read(db, table, id)
      right = true
      right &&= [db.query("SELECT * FROM #{table} WHERE id = $1", id).rows[0][0], row_of(db, table, id)] == [id, true] until yield
      right
    end

    def row_of(db, table, id)
      VALUES.include?(db.value("SELECT v FROM #{table} WHERE id = $1", id))
    rescue Trunkline::UndefinedColumn
      true # between its two names
    end
  end
end
