# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"

module Trunkline
  # A statement that raises many notices tells them to a thread's block while it runs: each once, in order, and the block may do what any other may.
  class NoticesAheadTest < TestCase
    include DatabaseHelpers

    BEFORE = 200 # notices before the statement waits for the gate
    AFTER = 3000
    DEADLINE = 60 # seconds, after which a test has failed
    private_constant :BEFORE, :AFTER, :DEADLINE

    # The gate opens when the hundredth notice is told.
    def test_they_are_reported_while_the_statement_runs
      with_flood do |db, sql, gate|
        told = tell(db) { |number| gate.call if number == 100 }
        result = db.query(sql, deadline: DEADLINE)
        assert_equal [numbers, numbers], [told, result.notices.map { |notice| notice[:message].to_i }]
        assert_equal [[1]], result.rows
      end
    end

    # The others have arrived too, and none comes behind them.
    def test_those_that_arrived_are_reported_though_the_block_takes_longer_than_a_turn
      with_flood do |db, sql, gate|
        told = tell(db) do |number|
          take_longer_than_a_turn if (number % 10).zero? && number <= BEFORE
          gate.call if number == BEFORE
        end
        db.query(sql, deadline: DEADLINE)
        assert_equal numbers, told
      end
    end

    def test_the_block_may_query_over_the_same_connection
      with_flood do |db, sql, gate|
        asked = nil
        told = tell(db) do |number|
          gate.call if number == 1
          asked ||= db.value("SELECT pg_backend_pid()", deadline: DEADLINE)
        end
        db.query(sql, deadline: DEADLINE)
        assert_equal [numbers, db.value("SELECT pg_backend_pid()")], [told, asked]
      end
    end

    def test_another_caller_reads_while_the_block_is_busy
      with_flood do |db, sql, gate|
        entered, leave = Queue.new, Queue.new
        told = tell(db) { |number| (entered << true) && leave.pop if number == 1 }
        flooded = Thread.new { db.query(sql, deadline: DEADLINE) }
        entered.pop
        gate.call
        assert_equal 7, db.value("SELECT 7", deadline: DEADLINE)
        leave << true
        flooded.value
        assert_equal numbers, told
      end
    end

    # The statement would wait for ever.
    def test_what_the_block_raises_ends_the_statement
      with_flood do |db, sql, _gate|
        told = tell(db) { |number| raise ArgumentError, "enough" if number == 5 }
        assert_equal "enough", assert_raises(ArgumentError) { db.query(sql, deadline: DEADLINE) }.message
        db.on_notice
        assert_equal [[1, 2, 3, 4, 5], 8], [told, db.value("SELECT 8", deadline: DEADLINE)]
      end
    end

    def test_a_caller_that_is_interrupted_in_its_block
      interrupted = Class.new(StandardError)
      with_flood do |db, sql, _gate|
        entered = Queue.new
        tell(db) { (entered << true) && Queue.new.pop }
        caller = Thread.new { assert_raises(interrupted) { db.query(sql, deadline: DEADLINE) } }
        entered.pop
        caller.raise(interrupted)
        caller.join
        db.on_notice
        assert_equal 9, db.value("SELECT 9", deadline: DEADLINE)
      end
    end

    # There the block may ask the session, so it is told when the answer is here.
    def test_in_a_transaction_they_are_reported_at_its_end
      with_flood do |db, sql, gate|
        db.transaction do |tx|
          gate.call
          told = tell(db) { |number| tx.value("SELECT 1") if number == 1 }
          tx.query(sql, deadline: DEADLINE)
          assert_equal numbers, told
        end
      end
    end

    private

    def numbers = (1..(BEFORE + AFTER)).to_a

    def take_longer_than_a_turn
      ending = Clock.now + (2 * Waiting::TURN)
      Thread.pass until Clock.now > ending
    end

    def tell(db)
      [].tap do |told|
        db.on_notice do |notice|
          told << notice[:message].to_i
          yield told.last
        end
      end
    end

    # @yieldparam db [Client] of one connection
    # @yieldparam sql [String] raises notices, waits until the gate is opened, and raises more
    # @yieldparam gate [Proc] opens it
    def with_flood
      key = rand(1 << 40)
      psql("CREATE FUNCTION flood_#{key}() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
              FOR i IN 1..#{BEFORE + AFTER} LOOP
                RAISE NOTICE '%', i;
                IF i = #{BEFORE} THEN PERFORM pg_advisory_xact_lock(#{key}); END IF;
              END LOOP;
              RETURN 1; END $$")
      Trunkline.postgres(postgres_server.uri, connections: 1) do |keeper|
        keeper.session do |session|
          session.query("SELECT pg_advisory_lock($1)", key)
          gate = -> { session.query("SELECT pg_advisory_unlock($1)", key) }
          Trunkline.postgres(postgres_server.uri, connections: 1, max_connections: 1) { |db| yield db, "SELECT flood_#{key}()", gate }
        end
      end
    ensure
      psql("DROP FUNCTION flood_#{key}()")
    end
  end
end
