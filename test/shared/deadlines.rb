# frozen_string_literal: true

module Shared
  # Callers with deadlines, and what becomes of the others. The test includes a host.
  module Deadlines
    include Gated
    include Interruptions

    # Seconds. One that passes during the test, and one that does not.
    SHORT = 0.05
    LONG = 60

    def test_a_deadline_passes
      gated do |db, proxy|
        proxy.hold(:answers)
        error = late_after_sending { db.query("SELECT 1", deadline: SHORT) }
        assert_equal ["SELECT 1", false], [error.sql, error.retriable?]
        proxy.release(:answers)
        assert_equal 2, ask(db, 2)
      end
    end

    def test_a_deadline_that_is_kept
      in_host_with_client do |db|
        assert_equal [[1], 1, { "n" => 1 }, 1],
                     [db.query("SELECT 1", deadline: LONG).rows.first, db.value("SELECT 1", deadline: LONG),
                      db.first("SELECT 1 AS n", deadline: LONG), db.async("SELECT 1", deadline: LONG).value.value]
      end
    end

    # The leader sleeps until a later time, or for ever.
    def test_an_earlier_deadline_than_the_leaders
      [nil, LONG].each do |later|
        gated do |db, proxy|
          leader, = in_flight(proxy, -> { db.value("SELECT 1", deadline: later) })
          assert_raises(Trunkline::Deadline) { db.value("SELECT 2", deadline: SHORT) }
          refute_predicate leader, :done?
          proxy.release(:answers)
          assert_equal 1, leader.value
        end
      end
    end

    # Which caller leads first, and which sleep meanwhile, is as it comes; some end by their deadline, and the others are answered.
    def test_many_deadlines
      random = Random.new(Minitest.seed)
      gated do |db, proxy|
        proxy.hold(:answers)
        callers = Array.new(40) do |token|
          deadline = token.odd? ? LONG : random.rand * SHORT
          later { db.value("SELECT $1::int", token, deadline: deadline) }
        end
        assert_equal [Trunkline::Deadline], (callers.each_slice(2).map { |late, _| late.error.class }).uniq
        proxy.release(:answers)
        assert_equal (1..39).step(2).to_a, (callers.each_slice(2).map { |_, kept| kept.value })
      end
    end

    def test_a_future_that_comes_too_late
      gated do |db, proxy|
        proxy.hold(:answers)
        future = db.async("SELECT 1", deadline: SHORT)
        2.times { assert_raises(Trunkline::Deadline) { future.value } }
        assert_equal [true, true], [future.done?, future.wait(0)]
        proxy.release(:answers)
        assert_equal 2, ask(db, 2)
      end
    end

    def test_a_future_awaited_after_its_deadline_whose_answer_is_there
      gated do |db, proxy|
        answered = proxy.messages(:answers)["Z"]
        future = db.async("SELECT $1::int", 7, deadline: 0.5) until future && !future.done? # done: it was not sent in time
        proxy.await { |seen| seen[:answers].messages["Z"] > answered && seen[:answers].bytes == seen[:answers].arrived }
        sleep(0.5)
        assert_equal 7, future.value.value
      end
    end

    def test_rows_that_no_caller_waits_for_any_more
      gated do |db, proxy|
        proxy.hold(:answers)
        assert_raises(Trunkline::Deadline) { db.query("SELECT n FROM generate_series(1, 1000) AS n", deadline: SHORT) }
        proxy.release(:answers)
        assert_equal [*1..1000], db.query("SELECT n FROM generate_series(1, 1000) AS n").map { |row| row["n"] }
      end
    end

    def test_a_deadline_that_has_passed_before_anything_was_sent
      gated do |db, proxy|
        before = proxy.messages(:requests)
        error = assert_raises(Trunkline::Deadline) { db.query("SELECT 1", deadline: 0) }
        assert_equal [false, true, "SELECT 1"], [error.sent?, error.retriable?, error.sql]
        assert_raises(Trunkline::Deadline) { db.async("SELECT 1", deadline: 0).value }
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(0) { db.transaction { |tx| tx.query("SELECT 1") } } }
        assert_equal before, proxy.messages(:requests)
        assert_raises(Trunkline::Deadline) { db.session { |session| session.query("SELECT 1", deadline: 0) } }
      end
    end

    # Part of the first has gone, nothing of the second: it must never happen.
    def test_what_could_not_be_sent_in_time_is_not_sent
      behind_one_that_is_stuck do |db, insert|
        errors = side_by_side(1..5) { |id| assert_raises(Trunkline::Deadline) { db.query(insert, id, deadline: SHORT) } }
        assert_equal [false], errors.map(&:sent?).uniq
      end
    end

    # Others may rely on what it prepares.
    def test_what_is_not_sent_in_time_is_still_prepared
      gated do |db, proxy|
        large = stuck_in_the_middle(db, proxy)
        late = later { db.value("SELECT $1::int + 1", 1, deadline: SHORT) }
        follower = later { db.value("SELECT $1::int + 1", 2) }
        assert_kind_of Trunkline::Deadline, late.error
        proxy.resume
        assert_equal [8_000_000, 3, 4], [large.value, follower.value, db.value("SELECT $1::int + 1", 3)]
      end
    end

    def test_a_large_question_that_cannot_be_sent_in_time
      gated do |db, proxy|
        proxy.stall
        late_after_sending { db.value("SELECT length($1::text)", "x" * 8_000_000, deadline: SHORT) }
        proxy.resume
        assert_equal 1, ask(db, 1)
      end
    end

    def test_a_deadline_while_waiting_for_a_connection
      gated do |db, _proxy|
        held, over = Thread::Queue.new, Thread::Queue.new
        holder = later { db.session { |session| ask(session, 1) && held.push(true) && over.pop } }
        held.pop
        late = later { Trunkline.deadline(SHORT) { db.session { |other| ask(other, 2) } } }
        assert_equal [Trunkline::Deadline, false, true], [late.error.class, late.error.sent?, late.error.retriable?]
        over << true
        assert holder.value
        assert_equal 1, (db.session { |session| session.value("SELECT 1") })
      end
    end

    def test_a_deadline_while_connecting
      gated do |db, proxy|
        proxy.disconnect
        proxy.stall
        error = assert_raises(Trunkline::Deadline) { db.query("SELECT 1", deadline: SHORT) }
        refute_predicate error, :sent?
        patient = later { ask(db, 2) }
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(SHORT) { db.transaction { |tx| tx.query("SELECT 1") } } }
        proxy.resume
        assert_equal 2, patient.value
      end
    end

    # Its types are asked for first, and that takes time too.
    def test_a_deadline_while_parameters_are_looked_up
      gated do |db, proxy|
        proxy.hold(:answers)
        assert_raises(Trunkline::Deadline) { db.query("SELECT $1::int[]", [1, 2], deadline: SHORT) }
        assert_raises(Trunkline::Deadline) { db.with(deadline: SHORT).value("SELECT $1::text[]", %w[a]) }
        proxy.release(:answers)
        assert_equal [1, 2], db.value("SELECT $1::int[]", [1, 2])
      end
    end

    def test_the_earlier_of_two_deadlines_holds
      gated do |db, proxy|
        proxy.hold(:answers)
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(LONG) { Trunkline.deadline(SHORT) { ask(db, 1) } } }
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(SHORT) { Trunkline.deadline(LONG) { ask(db, 2) } } }
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(SHORT) { db.query("SELECT 1", deadline: LONG) } }
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(LONG) { db.query("SELECT 1", deadline: SHORT) } }
        proxy.release(:answers)
        assert_equal 3, ask(db, 3)
      end
    end

    def test_a_deadline_is_its_callers_own
      gated do |db, proxy|
        Trunkline.deadline(SHORT) do
          asker, = in_flight(proxy, -> { ask(db, 1) })
          assert_raises(Trunkline::Deadline) { ask(db, 2) }
          proxy.release(:answers)
          assert_equal 1, asker.value
        end
        assert_equal 3, ask(db, 3)
      end
    end

    def test_a_deadline_within_a_transaction
      with_table("id int") do |table|
        gated do |db, proxy|
          assert_raises(Trunkline::Deadline) do
            db.transaction do |tx|
              tx.query("INSERT INTO #{table} VALUES (1)")
              proxy.hold(:answers)
              raise late_after_sending { tx.query("SELECT 1", deadline: SHORT) } # after one that was not sent, ROLLBACK would wait for its answer
            end
          end
          proxy.release(:answers)
          assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_no_time_to_wait
      in_host_with_client do |db|
        [-1, Float::NAN, "1", true].each do |seconds|
          assert_match(/\Aa deadline must be a number of seconds from 0, not /, assert_raises(ArgumentError) { db.query("SELECT 1", deadline: seconds) }.message)
          assert_raises(ArgumentError) { Trunkline.deadline(seconds) { flunk } }
          assert_raises(ArgumentError) { db.with(deadline: seconds).value("SELECT $1::int[]", [1]) }
        end
        assert_equal 1, db.value("SELECT 1", deadline: Float::INFINITY)
      end
    end
  end
end
