# frozen_string_literal: true

module Shared
  # What one caller asks and gets. The test includes a host.
  module Querying
    include Gated

    def test_a_query_gives_rows_by_name
      in_host_with_client do |db|
        result = db.query("SELECT 1 AS id, 'one' AS name UNION ALL SELECT 2, 'two' ORDER BY 1")
        assert_equal [{ "id" => 1, "name" => "one" }, { "id" => 2, "name" => "two" }], result.to_a
        assert_equal [[1, "one"], [2, "two"]], result.rows
        assert_equal %w[id name], result.columns
        assert_equal 2, result.size
        assert_equal({ "id" => 1, "name" => "one" }, result.first)
        assert_equal 1, result.value
      end
    end

    def test_names_can_be_symbols
      in_host_with_client(keys: :symbol) do |db|
        assert_equal [{ id: 1 }], db.query("SELECT 1 AS id").to_a
        assert_equal({ id: 1 }, db.first("SELECT 1 AS id"))
      end
    end

    def test_first_and_value
      in_host_with_client do |db|
        assert_equal({ "n" => 7 }, db.first("SELECT $1::int AS n", 7))
        assert_equal 7, db.value("SELECT $1::int", 7)
        assert_nil db.first("SELECT 1 WHERE false")
        assert_nil db.value("SELECT 1 WHERE false")
      end
    end

    def test_notices
      in_host_with_client do |db|
        notices = db.query("DROP TABLE IF EXISTS none_here, nor_here").notices
        assert_equal [["NOTICE", "table \"none_here\" does not exist, skipping"], ["NOTICE", "table \"nor_here\" does not exist, skipping"]],
                     (notices.map { |notice| notice.values_at(:severity, :message) })
        assert_empty db.query("SELECT 1").notices
      end
    end

    def test_no_rows_keep_their_columns
      in_host_with_client do |db|
        result = db.query("SELECT 1 AS id, 2 AS other WHERE false")
        assert_empty result.to_a
        assert_equal %w[id other], result.columns
        assert_equal 0, result.size
      end
    end

    def test_rows_without_columns_and_queries_without_words
      in_host_with_client do |db|
        assert_equal [[]], db.query("SELECT").rows
        assert_empty db.query("").rows
        assert_empty db.query("-- nothing").rows
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_affected_rows
      with_table("id int") do |table|
        in_host_with_client do |db|
          assert_equal 3, db.query("INSERT INTO #{table} SELECT generate_series(1, 3)").affected_rows
          assert_equal 2, db.query("UPDATE #{table} SET id = id + 10 WHERE id > $1", 1).affected_rows
          assert_equal [[11 + 1]], db.query("DELETE FROM #{table} WHERE id = $1 RETURNING id", 12).rows
        end
      end
    end

    def test_the_same_statement_again_and_again
      in_host_with_client(connections: 1) do |db|
        assert_equal (1..50).to_a, (1..50).map { |number| db.value("SELECT $1::int", number) }
      end
    end

    def test_many_different_statements
      in_host_with_client(connections: 2) do |db|
        assert_equal (1..300).to_a, (1..300).map { |number| db.value("SELECT #{number}") }
      end
    end

    def test_a_value_larger_than_every_buffer
      in_host_with_client(connections: 1) do |db|
        text = "ü" * 3_000_000
        assert_equal text, db.value("SELECT $1::text", text)
        assert_equal 20_000_000, db.value("SELECT repeat('x', 20000000)").size
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_many_rows
      in_host_with_client do |db|
        rows = db.query("SELECT n, n::text FROM generate_series(1, 50000) AS n").rows
        assert_equal (1..50_000).map { |number| [number, number.to_s] }, rows
      end
    end

    def test_futures_come_in_any_order
      in_host_with_client(connections: 2) do |db|
        futures = Array.new(20) { |number| db.async("SELECT $1::int", number) }
        assert_equal (0...20).to_a.reverse, (futures.reverse.map { |future| future.value.value })
        assert futures.all?(&:done?)
        assert_same futures.first.value, futures.first.value
      end
    end

    def test_a_future_waits_for_a_while
      gated do |db, proxy|
        proxy.hold(:answers)
        future = db.async("SELECT 1")
        refute future.wait(0.01)
        refute_predicate future, :done?
        proxy.release(:answers)
        assert future.wait(30)
        assert_predicate future, :done?
      end
    end

    def test_a_future_raises_its_error_each_time_it_is_awaited
      in_host_with_client do |db|
        future = db.async("SELECT 1/0")
        2.times { assert_raises(Trunkline::DivisionByZero) { future.value } }
        assert_predicate future, :done?
      end
    end

    def test_futures_that_no_caller_awaits_stop_no_other
      in_host_with_client(connections: 1) do |db|
        5.times { |number| db.async("SELECT $1::int", number) }
        assert_equal 42, db.value("SELECT 42")
      end
    end

    def test_a_script
      in_host_with_client do |db|
        results = db.execute_script("SELECT 1 AS a; SELECT 2 AS b, 3 AS c;")
        assert_equal [[[1]], [[2, 3]]], results.map(&:rows)
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_a_transaction_commits_and_returns_its_value
      with_table("id int") do |table|
        in_host_with_client do |db|
          assert_equal :done, (db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && :done })
          assert_equal 1, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_a_transaction_rolls_back_whatever_is_raised
      with_table("id int") do |table|
        in_host_with_client do |db|
          [IndexError, NoMemoryError].each do |type|
            assert_raises(type) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && raise(type) } }
          end
          assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_a_transaction_is_its_callers_alone
      with_table("id int") do |table|
        in_host_with_client(connections: 2) do |db|
          db.transaction do |tx|
            tx.query("INSERT INTO #{table} VALUES (1)")
            assert_equal 0, Thread.new { db.value("SELECT count(*) FROM #{table}") }.value
            assert_equal 1, tx.value("SELECT count(*) FROM #{table}")
          end
        end
      end
    end

    def test_a_session_keeps_its_state_to_itself
      in_host_with_client do |db|
        db.session do |session|
          session.query("SET application_name = 'mine'")
          assert_equal "mine", session.value("SHOW application_name")
        end
        assert_empty side_by_side(1..20) { db.value("SHOW application_name") } & ["mine"]
      end
    end

    def test_a_query_inside_an_enumerator
      in_host_with_client(connections: 1) do |db|
        values = Enumerator.new { |yielder| 3.times { |number| yielder << db.value("SELECT $1::int", number) } }
        assert_equal [0, 1, 2], [values.next, values.next, values.next]
      end
    end

    def test_queries_inside_enumerators_of_busy_callers
      in_host_with_client(connections: 2, max_connections: 30) do |db|
        sums = side_by_side(1..20) do |number|
          values = Enumerator.new { |yielder| 2.times { yielder << db.value("SELECT $1::int", number) } }
          db.value("SELECT $1::int", number) + values.next + values.next
        end
        assert_equal (1..20).map { |number| number * 3 }, sums
      end
    end

    def test_a_closed_client_says_so
      db = nil
      in_host do
        db = Trunkline.postgres(postgres_server.uri)
        assert_equal 1, db.value("SELECT 1")
        2.times { db.close }
        assert_raises(Trunkline::Closed) { db.query("SELECT 1") }
        assert_raises(Trunkline::Closed) { db.async("SELECT 1").value }
        assert_raises(Trunkline::Closed) { db.session { flunk } }
        assert_raises(Trunkline::Closed) { db.transaction { flunk } }
      end
    end
  end
end
