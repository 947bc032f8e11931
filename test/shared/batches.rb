# frozen_string_literal: true

module Shared
  # Several statements in one flight. The test includes a host.
  module Batches
    include Gated

    def test_a_batch
      in_host_with_client(connections: 1) do |db|
        3.times do
          assert_equal [[[1]], [["two", 2.5]], [], [[{ "a" => 1 }]]], results(db.batch do |b|
            b.query("SELECT $1::int", 1).query("SELECT $1::text, 2.5::float8", "two")
            b.query("SELECT 1 WHERE false").query("SELECT $1::jsonb", { a: 1 })
          end)
        end
        assert_equal [], db.batch { |b| assert_equal 0, b.size }
        assert_equal [[[1]]] * 300, results(db.batch { |b| 300.times { b.query("SELECT $1::int", 1) } })
      end
    end

    def test_batches_of_many
      in_host_with_client(connections: 2) do |db|
        answers = side_by_side(1..20) do |number|
          results(db.batch(atomic: number.even?) { |b| 5.times { |at| b.query("SELECT $1::int", (number * 10) + at) } }).flatten
        end
        assert_equal (1..20).map { |number| Array.new(5) { |at| (number * 10) + at } }, answers
      end
    end

    def test_a_batch_is_one_flight
      gated do |db, proxy|
        db.value("SELECT 1")
        { false => 4, true => 1 }.each do |atomic, units|
          before = proxy.messages(:requests)["S"]
          proxy.hold(:answers)
          asked = later { results(db.batch(atomic: atomic) { |b| 3.times { |number| b.query("SELECT $1::int, #{atomic}", number) } }) }
          proxy.await_messages(:requests, "S", before + units)
          proxy.release(:answers)
          assert_equal [[[0, atomic]], [[1, atomic]], [[2, atomic]]], asked.value
          assert_equal units, proxy.messages(:requests)["S"] - before
        end
      end
    end

    def test_the_first_error_is_raised_and_has_the_others
      with_numbers_table do |table|
        in_host_with_client(connections: 1) do |db|
          error = assert_raises(Trunkline::DivisionByZero) do
            db.batch do |b|
              b.query("INSERT INTO #{table} VALUES (1) RETURNING n").query("SELECT 1/0").query("INSERT INTO #{table} VALUES (2) RETURNING n").query("SELECT nothing")
            end
          end
          assert_equal [[[1]], [[2]]], error.batch.values_at(0, 2).map(&:rows)
          assert_equal [error, Trunkline::UndefinedColumn], [error.batch[1], error.batch[3].class]
          assert_equal "SELECT 1/0", error.sql
          assert_equal [[1], [2]], db.query("TABLE #{table} ORDER BY 1").rows
        end
      end
    end

    def test_an_atomic_batch_happens_as_a_whole_or_not_at_all
      with_numbers_table do |table|
        in_host_with_client(connections: 1) do |db|
          2.times do
            error = assert_raises(Trunkline::DivisionByZero) do
              db.batch(atomic: true) { |b| b.query("INSERT INTO #{table} VALUES ($1)", 1).query("SELECT 1/$1::int", 0).query("INSERT INTO #{table} VALUES ($1)", 2) }
            end
            assert_equal [nil, error, nil], error.batch
            assert_equal 0, db.value("SELECT count(*) FROM #{table}")
          end
          assert_equal [[[1]], [[2]], [[2]]], results(db.batch(atomic: true) do |b|
            b.query("INSERT INTO #{table} VALUES ($1) RETURNING n", 1).query("INSERT INTO #{table} VALUES ($1) RETURNING n", 2).query("SELECT count(*) FROM #{table}")
          end)
          assert_equal 1, db.query("SELECT DISTINCT xmin FROM #{table}").size
        end
      end
    end

    # The server finds it out when all is done.
    def test_an_atomic_batch_that_cannot_be_committed
      with_numbers_table(", UNIQUE (n) DEFERRABLE INITIALLY DEFERRED") do |table|
        in_host_with_client(connections: 1) do |db|
          error = assert_raises(Trunkline::UniqueViolation) { db.batch(atomic: true) { |b| 2.times { b.query("INSERT INTO #{table} VALUES (1)") } } }
          assert_equal [nil, nil], error.batch
          assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_batches_of_what_was_prepared_for_another_table
      with_numbers_table do |table|
        in_host_with_client(connections: 1) do |db|
          ask = ->(atomic) { results(db.batch(atomic: atomic) { |b| b.query("SELECT * FROM #{table} WHERE n > $1", 0).query("SELECT $1::bytea", "\\".b) }) }
          ask.call(true)
          psql("ALTER TABLE #{table} ADD m text; INSERT INTO #{table} VALUES (7, 'seven')")
          assert_equal [[[7, "seven"]], [["\\".b]]], ask.call(true)
          psql("ALTER TABLE #{table} ALTER n TYPE numeric")
          assert_equal [[[BigDecimal(7), "seven"]], [["\\".b]]], ask.call(false)
        end
      end
    end

    def test_batches_within_transactions
      with_numbers_table do |table|
        in_host_with_client(connections: 1) do |db|
          [false, true].each do |atomic|
            db.transaction do |tx|
              2.times { |number| assert_equal 2, tx.batch(atomic: atomic) { |b| 2.times { |n| b.query("INSERT INTO #{table} VALUES ($1)", (number * 2) + n) } }.size }
              assert_equal 4, db.batch { |b| b.query("SELECT count(*) FROM #{table}") }.first.value
              tx.rollback
            end
            assert_raises(Trunkline::InFailedSqlTransaction) do
              db.transaction do |tx|
                assert_raises(Trunkline::DivisionByZero) { tx.batch(atomic: atomic) { |b| b.query("INSERT INTO #{table} VALUES (1)").query("SELECT 1/0").query("SELECT 1") } }
              end
            end
            assert_raises(Trunkline::SharedStateError) { db.transaction { |tx| tx.batch(atomic: atomic) { |b| b.query("COMMIT") } } }
          end
          assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_batches_with_settings
      in_host_with_client(connections: 1) do |db|
        sql = "SELECT nullif(current_setting('app.tenant', true), '')"
        [false, true].each do |atomic|
          assert_equal [[["7"]], [["7"]]], results(db.batch(atomic: atomic, settings: { "app.tenant" => 7 }) { |b| b.query(sql).query(sql) })
          assert_equal [[["8"]]], results(db.with(settings: { "app.tenant" => 8 }).batch(atomic: atomic) { |b| b.query(sql) })
          assert_nil db.value(sql)
        end
      end
    end

    def test_what_goes_in_no_batch
      in_host_with_client(connections: 1, max_in_flight: 10, max_bytes_in_flight: 1000) do |db|
        assert_raises(Trunkline::SharedStateError) { db.batch { |b| b.query("SET a.b = 1") } }
        assert_match(/VACUUM/, assert_raises(Trunkline::SharedStateError) { db.batch(atomic: true) { |b| b.query("VACUUM") } }.message)
        assert_match(/max_in_flight/, assert_raises(ArgumentError) { db.batch { |b| 11.times { b.query("SELECT 1") } } }.message)
        assert_match(/max_bytes_in_flight/, assert_raises(ArgumentError) { db.batch { |b| b.query("SELECT $1", "x" * 1001) } }.message)
        assert_raises(ArgumentError) { 2.times { db.batch { |b| b.query("SELECT $1::int", 1, 2) } } }
        assert_raises(TypeError) { db.batch { |b| b.query("SELECT $1", Object.new) } }
        assert_raises(KeyError) { db.batch { |b| b.query("SELECT 1") && raise(KeyError) } }
        assert_equal [[[1]]] * 10, results(db.batch { |b| 10.times { b.query("SELECT 1") } })
      end
    end

    def test_a_batch_whose_connection_is_lost
      { false => 3, true => 1 }.each do |atomic, units|
        gated do |db, proxy|
          proxy.hold(:answers)
          before = proxy.messages(:requests)["S"]
          harmless, once = [true, false].map.with_index(1) do |idempotent, callers|
            later { results(db.batch(atomic: atomic, idempotent: idempotent) { |b| b.query("SELECT 1").query("SELECT 2") }) }
              .tap { proxy.await_messages(:requests, "S", before + (callers * units)) }
          end
          proxy.disconnect
          assert_equal [Trunkline::Indeterminate, 2], [once.error.class, once.error.batch.size]
          proxy.release(:answers)
          assert_equal [[[1]], [[2]]], harmless.value
        end
      end
    end

    def test_a_batch_and_its_deadline
      gated do |db, proxy|
        db.value("SELECT 1")
        [false, true].each do |atomic|
          proxy.hold(:answers)
          late_after_sending { db.batch(atomic: atomic, deadline: 0.05) { |b| b.query("SELECT 1").query("SELECT 2") } }
          proxy.release(:answers)
          assert_equal 3, db.value("SELECT 3")
        end
      end
    end

    def test_a_batch_given_up_disturbs_no_other_caller
      gated do |db, proxy|
        db.value("SELECT 1")
        [false, true].each do |atomic|
          batch, other = in_flight(proxy, -> { db.batch(atomic: atomic) { |b| 3.times { b.query("SELECT 1") } } }, -> { db.value("SELECT 2") })
          batch.cancel(Interruptions::Cancelled.new)
          proxy.release(:answers)
          assert_equal [2, 3], [other.value, db.value("SELECT 3")]
        end
      end
    end

    def test_notices_of_a_batch
      in_host_with_client(connections: 1) do |db|
        told = []
        db.on_notice { |notice| told << notice[:message][/none_\d/] }
        [false, true].each do |atomic|
          results = db.batch(atomic: atomic) { |b| 2.times { |number| b.query("DROP TABLE IF EXISTS none_#{number}") } }
          assert_equal [%w[none_0], %w[none_1]], results.map { |result| result.notices.map { |notice| notice[:message][/none_\d/] } }
        end
        assert_equal %w[none_0 none_1] * 2, told
      end
    end

    private

    def results(batch) = batch.map(&:rows)

    def with_numbers_table(more = "", &block) = with_table("n int#{more}", &block)
  end
end
