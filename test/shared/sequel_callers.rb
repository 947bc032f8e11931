# frozen_string_literal: true

module Shared
  # Many callers of one Sequel database, none of which sees another's connection. The test includes a host.
  module SequelCallers
    def test_many_callers_share_few_connections
      in_host do
        with_sequel(connections: 2, max_connections: 3) do |db|
          assert_equal (1..60).to_a, side_by_side(1..60) { |number| db.get(Sequel.lit("#{number} + 0")) }
          assert_equal (1..60).to_a, side_by_side(1..60) { |number| db[Sequel.lit("(SELECT ?::int AS n) t", number)].get(:n) }
          assert_operator db.pool.size, :<=, 2
        end
      end
    end

    def test_prepared_statements_serve_all_callers
      in_host do
        with_sequel(connections: 2, max_connections: 3) do |db|
          double = db.select(Sequel.lit("?::int * 2 AS n", :$n)).prepare(:first, :double)
          assert_equal (1..40).map { |number| { n: number * 2 } }, side_by_side(1..40) { |number| double.call(n: number) }
          assert_equal [{ n: 14 }] * 5, side_by_side(1..5) { db.call(:double, n: 7) }
        end
      end
    end

    def test_a_transaction_is_its_callers_own
      with_columns("n int") do |table|
        in_host do
          with_sequel(connections: 2, max_connections: 8) do |db|
            counts = side_by_side(1..5) do |number|
              db.transaction(rollback: :always) do
                db[table].insert(n: number)
                db[table].select_map(:n)
              end
            end
            assert_equal (1..5).map { |number| [number] }, counts
            assert_equal 0, db[table].count
          end
        end
      end
    end

    def test_a_caller_without_a_transaction_does_not_see_anothers
      with_columns("n int") do |table|
        in_host do
          with_sequel do |db|
            begun = Thread::Queue.new
            stranger = later { begun.pop && [db[table].count, db.in_transaction?] }
            db.transaction do
              db[table].insert(n: 1)
              begun.push(true)
              assert_equal [1, [0, false]], [db[table].count, stranger.value]
            end
            assert_equal 1, db[table].count
          end
        end
      end
    end

    # Ruby hands a fiber's storage down to those that it starts, from 3.2 on.
    def test_a_caller_that_is_started_in_a_transaction
      with_columns("n int") do |table|
        in_host do
          with_sequel do |db|
            inside = Fiber.scheduler && RUBY_VERSION >= "3.2" ? [1, true] : [0, false]
            db.transaction do
              db[table].insert(n: 1)
              assert_equal inside, later { [db[table].count, db.in_transaction?] }.value
            end
          end
        end
      end
    end

    def test_a_caller_that_is_interrupted_in_a_transaction_leaves_nothing
      with_columns("n int") do |table|
        in_host do
          with_sequel(max_connections: 5) do |db|
            caller = later do
              db.transaction do
                db[table].insert(n: 1)
                db.get(Sequel.function(:pg_sleep, 60))
              end
            end
            asleep = -> { psql("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active'").any? }
            db.get(1) until asleep.call
            caller.cancel(RuntimeError.new("enough"))
            assert_equal "enough", caller.error.message
            assert_equal 0, db[table].count
            assert_equal [2], (db.transaction { db[table].returning(:n).insert(n: 2).map { |row| row[:n] } })
          end
        end
      end
    end

    # What others have kept and left is closed when a transaction begins: several transactions at once close several of these.
    def test_both_statements_of_a_transaction_are_in_it_whichever_caller_kept_a_connection_before
      in_host do
        with_sequel(max_connections: 14) do |db|
          (1..4).each do |kept|
            side_by_side(1..kept) { db.run("SET application_name = 'kept'") }
            ids = side_by_side(1..4) { db.transaction { [txid(db), db.get(Sequel.function(:pg_sleep, 0.01)), txid(db)] } }
            assert_equal ids.map(&:first), ids.map(&:last)
          end
        end
      end
    end

    def test_connections_run_out
      in_host do
        with_sequel(connections: 1, max_connections: 2, pool_timeout: 1.5) do |db| # in which the second one opens on a busy machine, too
          begun = Thread::Queue.new
          wants_one = later { begun.pop && db.transaction { db.run("SELECT 1") } }
          shares = later { begun.pop && db.get(2) }
          db.transaction do
            db.run("SELECT 1")
            2.times { begun.push(true) }
            assert_kind_of Sequel::PoolTimeout, wants_one.error
            assert_equal 2, shares.value
          end
        end
      end
    end

    def test_a_kept_connection_is_its_callers_alone
      in_host do
        with_sequel do |db|
          db.run("SET application_name = 'kept'")
          mine = -> { db.get(Sequel.function(:current_setting, "application_name")) }
          assert_equal %w[kept kept], [mine.call, mine.call]
          refute_equal "kept", later(&mine).value
          db.disconnect
          refute_equal "kept", mine.call
        end
      end
    end

    def test_a_caller_that_has_ended_keeps_nothing
      in_host do
        with_sequel(connections: 1, max_connections: 2) do |db|
          3.times { later { db.run("SET application_name = 'kept'") }.value }
          assert_equal 1, (db.transaction { db.get(1) })
        end
      end
    end

    private

    def txid(db) = db.get(Sequel.function(:txid_current))
  end
end
