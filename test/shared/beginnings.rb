# frozen_string_literal: true

module Shared
  # How transactions begin, and what becomes of them when their connection is lost. The test includes a host.
  module Beginnings
    include Gated
    include Numbers

    # BEGIN, and what else is to be begun, travels with the first query: no round trip is spent on it.
    def test_the_first_query_brings_begin_along
      gated do |db, proxy|
        db.transaction { |tx| tx.query("SELECT 1") }
        before = proxy.messages(:requests)
        db.transaction { |tx| tx.transaction { ask(db, 1) } && ask(tx, 2) }
        sent = proxy.messages(:requests)
        assert_equal [4, 0], [sent["S"] - before["S"], sent["Q"] - before["Q"]], "units: BEGIN, SAVEPOINT and 1; RELEASE; 2; COMMIT; no reset"
      end
    end

    def test_an_empty_transaction_sends_nothing
      gated do |db, proxy|
        before = proxy.messages(:requests)
        assert_equal :value, db.transaction { |tx| tx.transaction { :inner } && :value }
        assert_nil db.transaction { raise Trunkline::Rollback }
        assert_raises(IndexError) { db.session { raise IndexError } }
        assert_equal [1, before], [proxy.connections, proxy.messages(:requests)]
      end
    end

    def test_the_first_query_is_a_script
      with_numbers do |db, table|
        results = db.transaction { |tx| tx.transaction { tx.execute_script("INSERT INTO #{table} VALUES (1); SELECT 2") } }
        assert_equal [[], [[2]]], results.map(&:rows)
        assert_nil(db.transaction { |tx| tx.execute_script("INSERT INTO #{table} VALUES (2)") && tx.rollback })
        assert_equal [1], numbers(db, table)
      end
    end

    def test_the_first_query_fails
      with_numbers do |db, table|
        assert_raises(Trunkline::UndefinedTable) { db.transaction { |tx| tx.query("SELECT * FROM no_such_table") } }
        assert_raises(Trunkline::InFailedSqlTransaction) do
          db.transaction do |tx|
            assert_raises(Trunkline::DivisionByZero) { tx.query("SELECT 1/0") }
            add(tx, table, 1)
          end
        end
        db.transaction do |tx|
          assert_raises(Trunkline::DivisionByZero) { tx.transaction { tx.query("SELECT 1/0") } }
          add(tx, table, 2)
        end
        assert_equal [2], numbers(db, table)
      end
    end

    # A parameter that cannot be sent is found before anything is.
    def test_the_first_query_cannot_be_sent
      with_numbers do |db, table|
        db.transaction do |tx|
          assert_raises(ArgumentError) { tx.query("INSERT INTO #{table} VALUES ($1)", "\0") }
          add(tx, table, 1)
        end
        assert_equal [1], numbers(db, table)
      end
    end

    def test_a_transaction_that_one_of_its_statements_ends
      with_numbers do |db, table|
        error = assert_raises(Trunkline::Closed) do
          db.transaction do |tx|
            add(tx, table, 1)
            tx.execute_script("ROLLBACK")
            assert_raises(Trunkline::Closed) { add(tx, table, 2) }
          end
        end
        assert_match(/had ended/, error.message)
        assert_empty numbers(db, table)
      end
    end

    def test_the_end_of_a_transaction_is_no_statement_of_its_block
      with_numbers do |db, table|
        db.transaction do |tx|
          add(tx, table, 1)
          ["COMMIT", "/* now */ rollback", "BEGIN", "PREPARE TRANSACTION 'x'"].each do |sql|
            error = assert_raises(Trunkline::SharedStateError, sql) { db.query(sql) }
            assert_match(/ends with its block/, error.message)
          end
        end
        assert_equal [1], numbers(db, table)
      end
    end

    def test_the_options
      in_host_with_client do |db|
        settings = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('transaction_deferrable')"
        shown = ->(**options) { db.transaction(**options) { |tx| tx.query(settings).rows.first } }
        assert_equal ["read committed", "off", "off"], shown.call
        assert_equal ["serializable", "on", "on"], shown.call(isolation: :serializable, read_only: true, deferrable: true)
        assert_equal ["repeatable read", "off", "off"], shown.call(isolation: :repeatable_read, read_only: false, deferrable: false)
        assert_equal "read uncommitted", shown.call(isolation: :read_uncommitted).first
        assert_raises(Trunkline::ReadOnlySqlTransaction) { db.transaction(read_only: true) { |tx| tx.query("CREATE TABLE none ()") } }
      end
    end

    def test_options_that_cannot_be
      in_host_with_client do |db|
        bad = [{ isolation: "serializable" }, { isolation: :snapshot }, { read_only: 1 }, { deferrable: "yes" }, { retries: -1 }, { retries: nil }, { levels: 3 }]
        bad.each { |options| assert_raises(ArgumentError, options) { db.transaction(**options) { flunk } } }
        error = assert_raises(ArgumentError) { db.transaction { db.transaction(isolation: :serializable) { flunk } } }
        assert_match(/isolation: a transaction is open/, error.message)
      end
    end

    # Before COMMIT is sent, nothing is uncertain.
    def test_the_connection_is_lost_within_a_transaction
      gated do |db, proxy|
        losses = [-> { proxy.disconnect && ask(db, 2) }, -> { lose_in_flight(db, proxy) }, -> { proxy.disconnect }]
        losses.each do |loss|
          error = assert_raises(Trunkline::ConnectionError) { db.transaction { ask(db, 1) && loss.call } }
          assert_equal [false, true, true], [error.is_a?(Trunkline::Indeterminate), error.sent?, error.retriable?]
          assert_match(/the transaction is rolled back: the connection was lost/, error.message)
          assert_equal 1, (db.transaction { |tx| ask(tx, 1) })
        end
      end
    end

    # A caller that rescues the loss of the connection has no transaction to go on with.
    def test_the_connection_is_lost_and_the_block_continues
      gated do |db, proxy|
        error = assert_raises(Trunkline::ConnectionError) do
          db.transaction { |tx| ask(tx, 1) && proxy.disconnect && 2.times { assert_raises(Trunkline::Error) { ask(tx, 2) } } }
        end
        assert_match(/the transaction is rolled back/, error.message)
      end
    end

    def test_the_connection_is_lost_during_commit
      gated do |db, proxy|
        tries = 0
        error = assert_raises(Trunkline::Indeterminate) do
          db.transaction(retries: 3) { |tx| (tries += 1) && ask(tx, 1) && cut_the_next_answer(proxy) }
        end
        assert_equal [1, "COMMIT"], [tries, error.sql]
      end
    end

    # A connection that was lost while it was idle costs no caller an error.
    def test_the_connection_was_lost_before_the_transaction
      gated(connections: 1) do |db, proxy|
        3.times do
          assert_equal(1, db.transaction { |tx| ask(tx, 1) })
          proxy.disconnect
        end
      end
    end

    private

    def lose_in_flight(db, proxy)
      proxy.hold(:answers)
      future = db.async("SELECT 2")
      proxy.disconnect
      future.value
    ensure
      proxy.release(:answers)
    end

    def cut_the_next_answer(proxy) = proxy.cut(:answers, after: 1) || true
  end
end
