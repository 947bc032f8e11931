# frozen_string_literal: true

require "test_helper"
require "async"

# How often a single caller waits for a round trip to the server: what it needs goes there together. Each answer is waited
# for before anything else is sent, so there are as many round trips as writes.
class RoundTripsTest < Trunkline::TestCase
  SQL = "SELECT $1::int + 1"
  private_constant :SQL

  # @yieldparam db [Trunkline::Postgres::Client] connected
  # @yieldparam trips [#call] runs a block, and returns how many it took
  def counting(**options)
    with_client(connections: 1, **options) do |db|
      db.value("SELECT 0")
      yield db, ->(&work) { -db.stats[:writes] + work.call.then { db.stats[:writes] } }
    end
  end

  def test_one_for_a_query_the_first_one_included
    counting do |db, trips|
      5.times { |number| assert_equal(1, trips.call { assert_equal number + 1, db.value(SQL, number) }) }
    end
  end

  def test_one_where_nothing_is_prepared
    counting(prepare: false) do |db, trips|
      5.times { |number| assert_equal(1, trips.call { assert_equal number + 1, db.value(SQL, number) }) }
    end
  end

  def test_one_for_each_execution_of_a_prepared_statement
    counting do |db, trips|
      statement = db.prepare(SQL)
      3.times { |number| assert_equal(1, trips.call { assert_equal number + 1, statement.value(number) }) }
    end
  end

  # Names of types have to be asked for, and built-in ones keep theirs.
  def test_two_to_prepare_what_has_types_not_met_before_and_one_otherwise
    counting do |db, trips|
      assert_equal(2, trips.call { assert_equal %w[integer text], db.prepare("SELECT $1::int, $2::text").parameters.map(&:type) })
      assert_equal(2, trips.call { assert_equal "character varying(3)", db.prepare("SELECT 'a'::varchar(3)").columns.first.type })
      assert_equal(1, trips.call { db.prepare("SELECT $1::text, $2::int, 'b'::varchar(3)") })
    end
  end

  # The server is to say when it begins.
  def test_one_for_what_takes_long
    counting do |db, trips|
      8.times { assert_equal(1, trips.call { db.query("SELECT pg_sleep(0.005)") }) }
    end
  end

  def test_one_with_settings_a_role_and_a_deadline
    counting do |db, trips|
      2.times do
        assert_equal(1, trips.call { assert_equal 2, db.query(SQL, 1, settings: { "app.tenant" => "7" }, role: "postgres", deadline: 600).value })
      end
    end
  end

  def test_one_for_a_query_that_fails
    counting do |db, trips|
      2.times do
        assert_equal(1, trips.call { assert_raises(Trunkline::DivisionByZero) { db.value("SELECT 1 / n FROM generate_series($1::int, 0) AS n", 0) } })
      end
    end
  end

  def test_one_for_a_batch
    counting do |db, trips|
      [true, false].each do |atomic|
        results = nil
        assert_equal(1, trips.call { results = db.batch(atomic: atomic) { |batch| 3.times { |number| batch.query("SELECT $1::int + #{number}", 1) } } })
        assert_equal [1, 2, 3], results.map(&:value)
      end
    end
  end

  # BEGIN comes along with the first one. No idle connection is asked whether it is there still.
  def test_one_for_each_query_of_a_transaction_and_one_for_its_end
    with_stopped_clock do
      counting do |db, trips|
        2.times { |number| assert_equal(number + 2, trips.call { db.transaction { |tx| number.succ.times { tx.value(SQL, 1) } } }) }
      end
    end
  end

  # Requests that are ready at the same time are sent together: the time of their answers on a busy machine does not make them long ones.
  def test_many_callers_share_them
    gate = Thread::Queue.new
    with_stopped_clock do
      counting do |db, trips|
        taken = trips.call do
          Sync do |task|
            callers = Array.new(100) { |number| task.async { gate.pop && db.value(SQL, number) } }
            callers.each { gate << true }
            assert_equal (1..100).to_a, callers.map(&:wait)
          end
        end
        assert_operator taken, :<, 50
      end
    end
  end
end
