# frozen_string_literal: true

module Shared
  # What becomes of a transaction, however its block is left. The test includes a host.
  module Transactions
    include Gated
    include Interruptions
    include Numbers

    def test_a_transaction_whose_block_comes_to_its_end_is_committed
      with_numbers do |db, table|
        assert_equal :value, db.transaction { |tx| add(tx, table, 1) && :value }
        assert_equal(:value, db.transaction { |tx| add(tx, table, 2) && (next :value) })
        assert_equal(:value, db.transaction { |tx| add(tx, table, 3) && (break :value) })
        assert_equal :value, leave_by_return(db, table, 4)
        assert_equal([5], [5, 6].each { |number| db.transaction { |tx| add(tx, table, number) } && (break [number]) })
        assert_equal [1, 2, 3, 4, 5], numbers(db, table)
      end
    end

    def test_a_transaction_whose_block_is_left_otherwise_is_rolled_back
      with_numbers do |db, table|
        assert_raises(IndexError) { db.transaction { |tx| add(tx, table, 1) && raise(IndexError) } }
        assert_raises(Cancelled) { db.transaction { |tx| add(tx, table, 2) && raise(Cancelled) } }
        assert_nil db.transaction { |tx| add(tx, table, 3) && raise(Trunkline::Rollback) }
        assert_nil db.transaction { |tx| add(tx, table, 4) && tx.rollback }
        assert_equal :thrown, catch(:out) { db.transaction { |tx| add(tx, table, 5) && throw(:out, :thrown) } }
        assert_raises(Trunkline::DivisionByZero) { db.transaction { |tx| add(tx, table, 6) && tx.query("SELECT 1/0") } }
        assert_empty numbers(db, table)
      end
    end

    # Old versions of Timeout unwind by throw, as this does; new ones raise.
    def test_a_transaction_in_which_the_time_is_over_is_rolled_back
      with_numbers do |db, table|
        expired = Class.new(Exception) { define_method(:exception) { |*| throw(:expired, :unwound) } } # rubocop:disable Lint/InheritException
        assert_equal :unwound, catch(:expired) { db.transaction { |tx| add(tx, table, 1) && raise(expired.new) } }
        assert_empty numbers(db, table)
      end
    end

    def test_a_transaction_whose_caller_is_cancelled_is_rolled_back
      with_numbers do |db, table|
        reached = Thread::Queue.new
        caller = later { db.transaction { |tx| add(tx, table, 1) && reached.push(true) && tx.query("SELECT pg_sleep(30)") } }
        reached.pop
        caller.cancel(Cancelled.new)
        assert_instance_of Cancelled, caller.error
        assert_empty numbers(db, table)
        assert_equal 1, db.transaction { |tx| tx.value("SELECT 1") }
      end
    end

    def test_savepoints
      with_numbers do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          tx.transaction { |savepoint| add(savepoint, table, 2) && break }
          assert_raises(IndexError) { tx.transaction { add(tx, table, 3) && raise(IndexError) } }
          assert_nil tx.transaction { tx.transaction { add(tx, table, 4) } && raise(Trunkline::Rollback) }
          assert_nil db.transaction { |savepoint| add(db, table, 5) && savepoint.rollback }
          assert_raises(Trunkline::DivisionByZero) { tx.transaction { tx.query("SELECT 1/0") } }
          assert_equal :kept, tx.transaction { add(tx, table, 6) && :kept }
        end
        assert_equal [1, 2, 6], numbers(db, table)
      end
    end

    # To leave an outer block through an inner one undoes both.
    def test_a_rollback_of_an_outer_block_within_an_inner_one
      with_numbers do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          assert_nil(tx.transaction { |outer| outer.transaction { |inner| add(inner, table, 2) && outer.rollback } && flunk })
          tx.transaction { add(tx, table, 3) }
        end
        assert_equal [1, 3], numbers(db, table)
        assert_nil(db.transaction { |tx| tx.transaction { add(tx, table, 4) && tx.rollback } })
        assert_equal [1, 3], numbers(db, table)
      end
    end

    def test_what_a_savepoint_did_not_await_is_undone_with_it
      with_numbers do |db, table|
        db.transaction do |tx|
          tx.transaction { |savepoint| savepoint.async("INSERT INTO #{table} VALUES (1)") && raise(Trunkline::Rollback) }
          tx.transaction { |savepoint| savepoint.async("INSERT INTO #{table} VALUES (2)") }
        end
        assert_equal [2], numbers(db, table)
      end
    end

    # A statement failed, and its error was not looked at: COMMIT rolls back then, and the server calls that a success.
    def test_a_failed_transaction_is_no_success
      with_numbers do |db, table|
        failing = [
          ->(tx) { add(tx, table, 1) && assert_raises(Trunkline::DivisionByZero) { tx.query("SELECT 1/0") } },
          ->(tx) { add(tx, table, 2) && tx.async("SELECT 1/0") },
          ->(tx) { tx.async("SELECT 1/0") }
        ]
        failing.each do |block|
          error = assert_raises(Trunkline::InFailedSqlTransaction) { db.transaction(&block) }
          assert_match(/rolled back/, error.message)
        end
        assert_empty numbers(db, table)
      end
    end

    def test_what_follows_the_commit
      with_numbers do |db, table|
        seen = []
        note = ->(what) { seen << [what, db.value("SELECT count(*) FROM #{table}"), db.inspect[/pinned=\d/]] }
        db.transaction do |tx|
          tx.after_commit { note.call(:first) }
          add(tx, table, 1)
          tx.transaction { |savepoint| savepoint.after_commit { note.call(:kept) } && savepoint.query("SELECT 1") }
          tx.transaction { |savepoint| savepoint.after_commit { note.call(:undone) } || raise(Trunkline::Rollback) }
          assert_empty seen
          break
        end
        assert_equal [[:first, 1, "pinned=0"], [:kept, 1, "pinned=0"]], seen
        assert_nil(db.transaction { |tx| tx.after_commit { note.call(:undone) } || tx.rollback })
        assert_raises(IndexError) { db.transaction { |tx| tx.after_commit { note.call(:undone) } || raise(IndexError) } }
        db.transaction { |tx| tx.after_commit { note.call(:empty) } }
        assert_equal %i[first kept empty], seen.map(&:first)
        assert_raises(ArgumentError) { db.transaction(&:after_commit) }
      end
    end

    # Committed is committed, whatever happens then.
    def test_what_follows_the_commit_fails
      with_numbers do |db, table|
        tries = 0
        assert_raises(Trunkline::SerializationFailure) do
          db.transaction(retries: 3) do |tx|
            add(tx, table, tries += 1)
            tx.after_commit { raise serialization_failure }
          end
        end
        assert_equal [1], numbers(db, table)
      end
    end

    def test_a_transaction_that_could_not_be_serialized_is_retried_if_the_option_says_so
      with_numbers do |db, table|
        assert_equal 3, tries(db, table, retries: 5, failures: 2)
        assert_equal [3], numbers(db, table)
        assert_raises(Trunkline::SerializationFailure) { tries(db, table, retries: 2, failures: 3) }
        assert_raises(Trunkline::SerializationFailure) { tries(db, table, retries: 0, failures: 1) }
        assert_equal [3], numbers(db, table)
      end
    end

    # Two that read what the other writes: the server lets one of them through.
    def test_transactions_that_cannot_be_serialized_get_through_in_turn
      with_numbers(connections: 2, max_connections: 6) do |db, table|
        side_by_side(1..4) do |number|
          db.transaction(isolation: :serializable, retries: 100) do |tx|
            add(tx, table, tx.value("SELECT count(*) FROM #{table}"))
            tx.query("SELECT $1::int", number)
          end
        end
        assert_equal [0, 1, 2, 3], numbers(db, table)
      end
    end

    # Each has locked what the other wants next: the server undoes one of them, and may undo the other against the first one's
    # second try.
    def test_transactions_that_lock_each_other_out_get_through_in_turn
      with_numbers(connections: 2, max_connections: 6) do |db, table|
        psql("INSERT INTO #{table} VALUES (0), (1)")
        locked = [Thread::Queue.new, Thread::Queue.new]
        tries = side_by_side([0, 1]) { |own| lock_both(db, table, own) { locked[1 - own].push(true) && locked[own].pop } }
        assert_operator tries.sum, :>, 2
      end
    end

    def test_a_transaction_that_has_ended
      with_numbers do |db, table|
        db.session do |session|
          kept = session.transaction { |tx| add(tx, table, 1) && tx }
          assert_raises(Trunkline::Closed) { kept.query("SELECT 1") }
          assert_raises(Trunkline::Closed) { kept.async("SELECT 1") }
          assert_raises(Trunkline::Closed) { kept.transaction { flunk } }
          assert_raises(Trunkline::Closed) { kept.after_commit { flunk } }
          assert_raises(Trunkline::Closed) { kept.rollback }
          assert_equal 1, session.value("SELECT 1")
        end
      end
    end

    private

    def leave_by_return(db, table, number)
      db.transaction { |tx| add(tx, table, number) && (return :value) }
    end

    # @return [Integer] how often the block was run
    def tries(db, table, retries:, failures:)
      tries = 0
      db.transaction(retries: retries) do |tx|
        add(tx, table, tries += 1)
        tries > failures ? tries : raise(serialization_failure)
      end
    end

    # @yield when the first lock is held for the first time
    # @return [Integer] how often the block was run
    def lock_both(db, table, own)
      tries = 0
      db.transaction(retries: 5) do |tx|
        tx.query("SET LOCAL deadlock_timeout = '20ms'")
        tx.query("SELECT FROM #{table} WHERE number = $1 FOR UPDATE", own)
        yield if (tries += 1) == 1
        tx.query("SELECT FROM #{table} WHERE number = $1 FOR UPDATE", 1 - own) && tries
      end
    end

    def serialization_failure = Trunkline::SerializationFailure.new({ sqlstate: "40001", message: "made up" })
  end
end
