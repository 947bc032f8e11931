# frozen_string_literal: true

require "test_helper"
require "async"
require "support/active_record_host"
require "support/sequel_host"

# A transaction belongs to the fiber that began it, with an event loop and without one: plain Fibers and the fibers of Enumerators as
# well. The same tests for the client and for Sequel, whose test classes say how a transaction begins and how rows are counted.
module PlainFibersTests
  # The test class gives: with_rows (yields the name of a table), begin_transaction (takes a block), insert, count.
  module Shared
    def test_two_fibers_transactions_are_apart
      with_rows do |table|
        failing = Fiber.new do
          begin_transaction do
            insert(table, 1)
            Fiber.yield
            raise IndexError
          end
        end
        failing.resume
        assert_equal 0, count(table)
        Fiber.new { begin_transaction { insert(table, 2) } }.resume
        insert(table, 3)
        assert_raises(IndexError) { failing.resume }
        assert_equal %w[2 3], psql("SELECT id FROM #{table} ORDER BY id")
      end
    end

    def test_fibers_within_a_transaction_are_part_of_it
      with_rows do |table|
        begin_transaction do
          insert(table, 1)
          assert_equal [1, 1], [enumerated(table), Enumerator.new { |inner| inner << enumerated(table) }.next]
          assert_equal 1, Fiber.new { count(table) }.resume
          assert_equal 0, Thread.new { count(table) }.value
        end
      end
    end

    def test_fibers_within_a_fibers_transaction_are_part_of_it
      with_rows do |table|
        fiber = Fiber.new do
          begin_transaction do
            insert(table, 1)
            assert_equal [1, 1, 1], [enumerated(table), Fiber.new { count(table) }.resume, Fiber.new { enumerated(table) }.resume]
            Fiber.yield
            assert_equal 1, enumerated(table)
          end
        end
        fiber.resume
        assert_equal [0, 0, 0], [count(table), enumerated(table), Fiber.new { count(table) }.resume]
        fiber.resume
        assert_equal 1, count(table)
      end
    end

    def test_a_transaction_that_an_enumerator_has_open_is_not_its_callers
      with_rows do |table|
        rows = Enumerator.new do |yielder|
          begin_transaction do
            insert(table, 1)
            [1, 2].each { yielder << count(table) }
          end
        end
        assert_equal [1, 0, 0], [rows.next, count(table), enumerated(table)]
        assert_equal [1, 0], [rows.next, count(table)]
        assert_raises(StopIteration) { rows.next }
        assert_equal 1, count(table)
      end
    end

    def test_an_enumerator_of_a_fiber_of_an_event_loop
      with_rows do |table|
        Sync do |task|
          begun = Async::Condition.new
          stranger = task.async { begun.wait && [count(table), enumerated(table)] }
          begin_transaction do
            insert(table, 1)
            begun.signal(true)
            assert_equal [1, [0, 0], 1], [enumerated(table), stranger.wait, enumerated(table)]
          end
        end
      end
    end

    private

    def enumerated(table) = Enumerator.new { |yielder| yielder << count(table) }.next
  end

  class ClientTest < Trunkline::TestCase
    include DatabaseHelpers
    include Shared

    def test_a_session_is_its_fibers_own
      with_client do |db|
        mine = -> { db.value("SELECT current_setting('application_name')") }
        fiber = Fiber.new do
          db.session do |session|
            session.query("SET application_name = 'fiber'")
            Fiber.yield(mine.call)
            Enumerator.new { |yielder| yielder << mine.call }.next
          end
        end
        assert_equal "fiber", fiber.resume
        refute_equal "fiber", mine.call
        assert_equal "fiber", fiber.resume
      end
    end

    private

    def with_rows
      with_table("id int") do |table|
        with_client do |db|
          @db = db
          yield table
        end
      end
    end

    def begin_transaction(&block) = @db.transaction(&block)
    def insert(table, id) = @db.query("INSERT INTO #{table} VALUES (#{id})")
    def count(table) = @db.value("SELECT count(*) FROM #{table}")
  end

  class SequelTest < Trunkline::TestCase
    include Trunkline::SequelHost
    include Shared

    private

    def with_rows
      with_columns("id int") do |table|
        with_sequel do |db|
          @db = db
          yield table
        end
      end
    end

    def begin_transaction(&block) = @db.transaction(&block)
    def insert(table, id) = @db[table].insert(id: id)
    def count(table) = @db[table].count
  end
  # ActiveRecord leases connections by its isolation level, and decides by that what an Enumerator within a transaction sees.
  class ActiveRecordTest < Trunkline::TestCase
    include Trunkline::ActiveRecordHost

    def test_two_fibers_transactions_are_apart
      ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
      with_model("n int") do |model|
        failing = Fiber.new do
          model.transaction do
            model.create!(n: 1)
            Fiber.yield
            raise IndexError
          end
        end
        failing.resume
        assert_equal 0, model.count
        Fiber.new { model.transaction { model.create!(n: 2) } }.resume
        model.create!(n: 3)
        assert_raises(IndexError) { failing.resume }
        assert_equal %w[2 3], psql("SELECT n FROM #{model.table_name} ORDER BY n")
      end
    end
  end
end
