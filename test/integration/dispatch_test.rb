# frozen_string_literal: true

require "test_helper"
require "async"

# Which connection a query takes.
class DispatchTest < Trunkline::TestCase
  NAP = 0.05 # seconds
  LONG = "SELECT pg_backend_pid() AS session, extract(epoch FROM clock_timestamp())::float8 AS began, pg_sleep(#{NAP})"
  # Executions after which anything is known for what it is, for longer than it takes until more of it are tried.
  ENOUGH = 12
  # Bursts of long queries, in one of which they use all connections that they may. The first ones open what is not open yet; and while a busy machine
  # delays their answers, the limit of long queries at once is lower.
  BURSTS = 8

  def test_long_queries_go_side_by_side_once_they_are_known
    with_client(connections: 4) do |db|
      Sync do
        4.times.map { Async { db.query("SELECT 1") } }.each(&:wait)
        ENOUGH.times { db.query(LONG) }
        assert_equal 4, most_sessions(db, 4)
      end
    end
  end

  def test_connections_that_have_seen_nothing_but_long_queries
    with_client(connections: 4) do |db|
      Sync do
        ENOUGH.times { sleeps(db, 4) }
        assert_equal 4, most_sessions(db, 4)
      end
    end
  end

  # They have none behind them either.
  def test_long_ones_have_connections_opened_as_far_as_there_may_be_more_but_for_one
    with_client(connections: 2, max_connections: 6) do |db|
      Sync do
        ENOUGH.times { db.query(LONG) }
        open_by_bursts(db, 5)
        assert_equal [5, 4], [db.stats[:shared], at_once(db, 20, 4)]
      end
    end
  end

  # The others never leave a connection idle of themselves.
  def test_a_long_one_gets_through_where_short_ones_keep_all_connections_busy
    with_client(connections: 2, max_connections: 3) do |db|
      ENOUGH.times { db.query(LONG) }
      going = true
      others = Array.new(8) { |number| Thread.new { db.value("SELECT $1::int", number) while going } }
      assert_equal 3, Array.new(3) { db.value(LONG) }.size
      going = false
      others.each(&:join)
    end
  end

  # It cannot wait in line, as the other fibers of its event loop could not leave meanwhile. So it reads the answers that no caller waits for.
  def test_a_fiber_that_blocks_its_event_loop_makes_room
    with_client(connections: 1, max_connections: 1, max_in_flight: 4) do |db|
      Sync do
        futures = Array.new(4) { |number| db.async("SELECT $1::int FROM pg_sleep(#{NAP})", number) }
        assert_equal 5, Fiber.new(blocking: true) { db.value("SELECT 5") }.resume
        assert_equal [0, 1, 2, 3], futures.map { |future| future.value.value }
      end
    end
  end

  # On a busy machine both connections may be late at once, and then another one is opened.
  def test_short_ones_have_none_opened
    assert((1..5).any? { opened_for_short_ones == 2 })
  end

  def test_connections_beyond_the_usual_are_closed_when_idle_for_long_enough
    with_client(connections: 1, max_connections: 5, max_idle: 0.001) do |db|
      Sync do
        ENOUGH.times { db.query(LONG) }
        sleeps(db, 10)
        db.value("SELECT 1") until db.stats[:open] == 1
        assert_operator db.stats[:opened], :>, 2
      end
    end
  end

  # Connections that transactions have had opened carry long queries afterwards.
  def test_long_ones_are_as_many_at_once_after_a_burst_of_transactions
    with_client(connections: 2, max_connections: 6) do |db|
      Sync do
        ENOUGH.times { db.query(LONG) }
        open_by_bursts(db, 5)
        before = at_once(db, 20, 4)
        8.times.map { Async { db.transaction { |tx| tx.query(LONG) } } }.each(&:wait)
        assert_equal [4, 4], [before, at_once(db, 20, 4)]
      end
    end
  end

  # Each waits until all of them run.
  def test_a_first_burst_of_a_statement_does_not_line_up_while_connections_may_be_opened
    with_meeting(4) do |meet|
      with_client(connections: 2, max_connections: 6) do |db|
        Sync { assert_equal [true] * 4, 4.times.map { Async { db.value(meet) } }.map(&:wait) }
      end
    end
  end

  private

  # A function for the block that waits until so many of its callers run at once. Each counts itself in a sequence, which others see at once.
  #
  # @yieldparam sql [String] which tells whether they ever did
  def with_meeting(count)
    name = "meeting#{SecureRandom.hex(6)}"
    postgres_server.psql(<<~SQL)
      CREATE SEQUENCE #{name}_callers;
      CREATE FUNCTION #{name}() RETURNS bool LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM nextval('#{name}_callers');
          FOR look IN 1..2000 LOOP
            IF (SELECT last_value FROM #{name}_callers) >= #{count} THEN RETURN true; END IF;
            PERFORM pg_sleep(0.005);
          END LOOP;
          RETURN false;
        END
      $$
    SQL
    yield "SELECT #{name}()"
  ensure
    postgres_server.psql("DROP FUNCTION #{name}; DROP SEQUENCE #{name}_callers")
  end

  # @return [Integer] connections
  def opened_for_short_ones
    with_client(connections: 2, max_connections: 20) do |db|
      Sync { 100.times.map { |number| Async { Array.new(20) { db.value("SELECT $1::int", number) } } }.each(&:wait) }
      db.stats[:opened]
    end
  end

  # Long queries in bursts have so many connections opened.
  def open_by_bursts(db, count) = BURSTS.times { sleeps(db, 20) unless db.stats[:shared] == count }

  # @return [Integer] how many slept at once, at most
  def at_once(db, count, expected) = most(expected) { most_at_once(db, count) }

  # @return [Integer] in how many server sessions they slept, at most
  def most_sessions(db, count) = most(count) { sleeps(db, count).map { |sleep| sleep["session"] }.uniq.size }

  # @return [Integer] the block's highest value in some bursts; once it is as expected, it is not called again
  def most(expected)
    BURSTS.times.inject(0) { |most,| most < expected ? [most, yield].max : most }
  end

  def most_at_once(db, count)
    began = sleeps(db, count).map { |sleep| sleep["began"] }
    began.map { |at| began.count { |other| other <= at && at < other + NAP } }.max
  end

  def sleeps(db, count) = Array.new(count) { Async { db.query(LONG).first } }.map(&:wait)
end
