# frozen_string_literal: true

require "securerandom"

module Shared
  # Many callers over few connections. The test includes a host.
  module Concurrency
    include Gated

    def test_two_hundred_callers_get_their_own_answers
      in_host_with_client(connections: 4) do |db|
        tokens = Array.new(200) { SecureRandom.hex(8) }
        answers = side_by_side(tokens) do |token|
          Array.new(10) { |round| db.value("SELECT $1::text || '-' || $2::int", token, round) }
        end
        assert_equal tokens.map { |token| Array.new(10) { |round| "#{token}-#{round}" } }, answers
      end
    end

    def test_they_share_the_connections
      name = "shared-#{SecureRandom.hex(6)}"
      in_host_with_client(connections: 4, max_connections: 4, application_name: name) do |db|
        pids = side_by_side(1..100) { Array.new(5) { db.value("SELECT pg_backend_pid()") } }.flatten.uniq
        assert_operator pids.size, :<=, 4
        assert_empty pids - sessions(name)
        assert_session_count(name, 4)
      end
    end

    def test_a_slow_query_keeps_only_its_own_connection
      in_host_with_client(connections: 2, max_connections: 2) do |db|
        slow = later { db.query("SELECT pg_sleep(1)") }
        fast = side_by_side(1..20) { |number| db.value("SELECT $1::int", number) }
        assert_equal (1..20).to_a, fast
        assert_nil slow.error
      end
    end

    def test_answers_of_all_sizes
      in_host_with_client(connections: 3) do |db|
        sizes = Array.new(60) { |number| (number % 20)**4 }
        assert_equal sizes, (side_by_side(sizes) { |size| db.value("SELECT repeat('x', $1::int)", size).size })
      end
    end

    def test_large_questions_while_large_answers_come
      in_host_with_client(connections: 1) do |db|
        texts = Array.new(12) { |number| number.to_s * 1_000_000 }
        assert_equal texts, (side_by_side(texts) { |text| db.value("SELECT $1::text", text) })
      end
    end

    def test_writes_of_many_callers_are_all_there
      with_table("caller int, round int") do |table|
        in_host_with_client(connections: 4) do |db|
          side_by_side(1..50) do |number|
            10.times { |round| db.query("INSERT INTO #{table} VALUES ($1, $2)", number, round) }
          end
          assert_equal 500, db.value("SELECT count(DISTINCT (caller, round)) FROM #{table}")
        end
      end
    end

    def test_transactions_beside_queries
      with_table("id int, amount int") do |table|
        postgres_server.psql("INSERT INTO #{table} SELECT n, 0 FROM generate_series(1, 5) AS n")
        in_host_with_client(connections: 2, max_connections: 6) do |db|
          side_by_side(1..30) do |number|
            number % 3 == 0 ? add_and_take(db, table, number) : db.value("SELECT $1::int", number)
          end
          assert_equal 0, db.value("SELECT sum(amount) FROM #{table}")
        end
      end
    end

    def test_a_transaction_where_all_connections_owe_answers_without_callers
      in_host_with_client(connections: 2, max_connections: 2) do |db|
        2.times { |number| db.async("SELECT $1::int", number) }
        assert_equal 2, (db.transaction { |tx| tx.value("SELECT 2") })
        assert_equal 3, db.value("SELECT 3")
      end
    end

    def test_a_transaction_where_others_keep_all_connections_busy
      in_host_with_client(connections: 2, max_connections: 2, max_wait: 20) do |db|
        answers = 0
        going = true
        askers = Array.new(20) { |number| later { answers += 1 while going && db.value("SELECT $1::int", number) == number } }
        side_by_side(1..20) { |number| db.value("SELECT $1::int", number) }
        assert_equal [1, 2, 3], (side_by_side(1..3) { |number| db.transaction { |tx| tx.value("SELECT $1::int", number) } })
        going = false
        askers.each(&:value)
        assert_operator answers, :>=, 20
        assert_match(/shared=2 pinned=0 spare=0|shared=1 pinned=0 spare=1/, db.inspect) # by which came last
      end
    end

    def test_futures_of_many_callers
      in_host_with_client(connections: 4) do |db|
        sums = side_by_side(1..50) do |number|
          Array.new(10) { |factor| db.async("SELECT $1::int * $2::int", number, factor) }.sum { |future| future.value.value }
        end
        assert_equal (1..50).map { |number| number * 45 }, sums
      end
    end

    def test_one_future_awaited_by_many
      in_host_with_client do |db|
        future = db.async("SELECT pg_sleep(0.05), 'shared'")
        assert_equal [true] * 20, (side_by_side(1..20) { future.wait(30) })
        assert_equal [1], (side_by_side(1..20) { future.value.size }).uniq
      end
    end

    def test_one_future_awaited_by_callers_with_shorter_deadlines
      gated do |db, proxy|
        proxy.hold(:answers)
        future = db.async("SELECT 1")
        patient = later { future.value.size }
        assert_equal [false] * 5, (side_by_side(1..5) { future.wait(0.01) })
        refute_predicate patient, :done?
        proxy.release(:answers)
        assert_equal 1, patient.value
      end
    end

    def test_close_while_callers_wait
      in_host do
        db = Trunkline.postgres(postgres_server.uri, connections: 2)
        callers = Array.new(10) { later { db.query("SELECT pg_sleep(30)") } }
        later { db.close }.value
        assert_equal [true], callers.map { |caller| caller.error.is_a?(Trunkline::Error) }.uniq
      end
    end

    private

    def add_and_take(db, table, number)
      db.transaction do |tx|
        tx.query("UPDATE #{table} SET amount = amount + $1 WHERE id = 1", number)
        tx.query("UPDATE #{table} SET amount = amount - $1 WHERE id = 2", number)
      end
    end
  end
end
