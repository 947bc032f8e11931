# frozen_string_literal: true

module Shared
  # Results that come in portions. The test includes a host.
  module Streaming
    include Gated
    include Interruptions

    # More than a caller would read to its end.
    ENDLESS = "SELECT generate_series(1, 100000000) AS number"
    private_constant :ENDLESS

    def test_stream_yields_what_query_yields
      streaming do |db|
        sql = "SELECT number, 'x' || number AS text, now() AS at, ARRAY[number] AS list FROM generate_series(1, $1::int) AS number"
        [1, 7, 1000, 100_000].each do |chunk|
          rows = []
          assert_nil(db.stream(sql.sub("now()", "'2020-01-01'::date"), 2500, chunk: chunk) { |row| rows << row })
          assert_equal db.query(sql.sub("now()", "'2020-01-01'::date"), 2500).to_a, rows
        end
        assert_equal [{ one: 1 }], db.with(keys: :symbol).stream("SELECT 1 AS one").to_a
        assert_equal [], db.stream("SELECT 1 WHERE false").to_a
        assert_equal [{ "array" => [1, nil] }], db.stream("SELECT $1::int[] AS array", [1, nil]).to_a
      end
    end

    def test_stream_of_large_rows
      streaming do |db|
        sizes = db.stream("SELECT repeat('x', 300000) AS text FROM generate_series(1, 20)").map { |row| row["text"].size }
        assert_equal [300_000] * 20, sizes
      end
    end

    def test_stream_left_early_frees_its_connection
      streaming(connections: 1, max_connections: 2) do |db|
        3.times do
          seen = db.stream(ENDLESS) { |row| break row["number"] if row["number"] == 1500 }
          assert_equal [1500, 7], [seen, db.session { |session| ask(session, 7) }]
        end
        assert_raises(KeyError) { db.stream(ENDLESS) { |row| row.fetch("other") } }
        assert_equal 8, db.session { |session| ask(session, 8) }
        assert_equal [1, 2, 3], db.stream(ENDLESS).lazy.map { |row| row["number"] }.first(3)
        assert_equal 9, db.session { |session| ask(session, 9) }
      end
    end

    def test_stream_with_queries_in_its_block
      streaming do |db|
        doubled = []
        db.stream("SELECT number FROM generate_series(1, 50) AS number", chunk: 10) { |row| doubled << (ask(db, row["number"]) * 2) }
        assert_equal (1..50).map { |number| number * 2 }, doubled
      end
    end

    def test_stream_in_a_transaction
      streaming do |db|
        db.transaction do |tx|
          tx.query("CREATE TEMP TABLE own ON COMMIT DROP AS SELECT number FROM generate_series(1, 250) AS number")
          sum = 0
          tx.stream("SELECT number FROM own ORDER BY number", chunk: 100) { |row| sum += ask(tx, row["number"]) }
          assert_equal 250 * 251 / 2, sum
          assert_equal 3, db.stream("SELECT number FROM own ORDER BY number") { |row| break row["number"] if row["number"] == 3 }
          pairs = db.stream("SELECT number FROM own ORDER BY number", chunk: 2).first(3).zip(tx.transaction { tx.stream("SELECT 1 AS one").to_a })
          assert_equal [{ "number" => 1 }, { "one" => 1 }], pairs.first
          assert_equal 1, tx.query("SELECT * FROM pg_cursors").size
        end
      end
    end

    def test_stream_that_fails_within_a_transaction
      streaming do |db|
        assert_raises(Trunkline::DivisionByZero) { db.transaction { |tx| tx.stream("SELECT 1 / (5 - number) FROM generate_series(1, 9) AS number", chunk: 2) { nil } } }
        assert_raises(Trunkline::InFailedSqlTransaction) do
          db.transaction { |tx| tx.stream(ENDLESS, chunk: 2) { tx.query("SELECT 1 / 0") rescue nil } } # rubocop:disable Style/RescueModifier
        end
        assert_equal 1, ask(db, 1)
      end
    end

    def test_stream_in_a_session
      streaming do |db|
        db.session do |session|
          session.query("CREATE TEMP TABLE own AS SELECT number FROM generate_series(1, 50000) AS number")
          error = assert_raises(Trunkline::SharedStateError) { session.stream("SELECT number FROM own") { session.query("SELECT 1") } }
          assert_match(/in the middle of a stream or COPY/, error.message)
          assert_equal 50_000, db.stream("SELECT number FROM own").count
          session.query("BEGIN")
          assert_equal [1, 2], session.stream("SELECT number FROM own LIMIT 2", chunk: 1).map { |row| ask(session, row["number"]) }
          session.query("COMMIT")
        end
      end
    end

    def test_stream_of_types_that_must_be_looked_up
      streaming do |db|
        name = "mood_#{unique_name.tr("-", "_")}"
        db.query("CREATE TYPE #{name} AS ENUM ('a', 'b')")
        sql = "SELECT 'a'::#{name} AS mood, ARRAY['b'::#{name}, NULL] AS moods FROM generate_series(1, 3)"
        expected = [{ "mood" => "a", "moods" => ["b", nil] }] * 3
        assert_equal expected, db.stream(sql, chunk: 1).to_a
        db.session { |session| assert_equal expected, session.stream(sql).to_a }
        db.transaction { |tx| assert_equal expected, tx.stream(sql, chunk: 2).to_a }
        db.query("DROP TYPE #{name}")
      end
    end

    def test_stream_that_fails
      streaming do |db|
        rows = 0
        assert_raises(Trunkline::DivisionByZero) { db.stream("SELECT 1 / (5000 - number) FROM generate_series(1, 9000) AS number") { rows += 1 } }
        assert_operator rows, :<, 5000
        assert_raises(Trunkline::SyntaxError) { db.stream("SELEC") { flunk } }
        assert_raises(ArgumentError) { db.stream("SELECT $1::int + $2::int", 1) { flunk } }
        assert_raises(Trunkline::SharedStateError) { db.stream("COPY t TO STDOUT") { flunk } }
        assert_raises(Trunkline::Deadline) { db.stream("SELECT pg_sleep(1000)", deadline: 0.1) { flunk } }
        [0, -1, nil, 1.5, 2**31].each { |chunk| assert_raises(ArgumentError) { db.stream("SELECT 1", chunk: chunk) { flunk } } }
        assert_equal 1, ask(db, 1)
        assert eventually { db.inspect.include?("pinned=0") }
      end
    end

    # Rows and the error are there, and the end of the answer (ReadyForQuery, six bytes) is not.
    def test_stream_whose_error_comes_before_its_end
      gated do |db, proxy|
        failing = -> { db.stream("SELECT 1 / (5 - number) FROM generate_series(1, 9) AS number") { nil } }
        2.times { assert_raises(Trunkline::DivisionByZero, &failing) }
        ends = proxy.messages(:answers)["Z"]
        caller, = in_flight(proxy, failing)
        held = nil
        proxy.await { |seen| seen[:answers].messages["Z"] > ends && held = seen[:answers].arrived - seen[:answers].bytes }
        proxy.release(:answers, bytes: held - 6)
        proxy.await { |seen| seen[:answers].arrived - seen[:answers].bytes == 6 }
        psql("SELECT 1")
        proxy.release(:answers)
        assert_instance_of Trunkline::DivisionByZero, caller.error
      end
    end

    def test_stream_of_a_table_that_has_changed
      with_table("id int") do |table|
        streaming(connections: 1, max_connections: 2) do |db|
          stream = -> { db.stream("SELECT * FROM #{table}").to_a }
          db.query("INSERT INTO #{table} VALUES (1)")
          assert_equal [{ "id" => 1 }], stream.call
          psql("ALTER TABLE #{table} ADD name text DEFAULT 'a'")
          assert_equal [{ "id" => 1, "name" => "a" }], stream.call
        end
      end
    end

    def test_stream_whose_caller_is_interrupted
      streaming(connections: 1, max_connections: 2) do |db|
        begun = Thread::Queue.new
        caller = later { db.stream(ENDLESS) { begun.push(true) && Thread::Queue.new.pop } }
        begun.pop
        caller.cancel(Interruptions::Cancelled.new)
        assert_instance_of Interruptions::Cancelled, caller.error
        assert_equal 1, db.session { |session| ask(session, 1) }
      end
    end

    def test_stream_whose_connection_is_lost
      gated do |db, proxy|
        cut = nil
        assert_raises(Trunkline::Indeterminate) { db.stream(ENDLESS) { cut ||= proxy.disconnect } }
        assert eventually { (ask(db, 1) rescue nil) == 1 } # rubocop:disable Style/RescueModifier
      end
    end

    # They are told as they come, before the first row even, and not kept.
    def test_notices_of_a_stream
      streaming do |db|
        told = []
        db.on_notice { |notice| told << notice[:message].size }
        with_noticing_function do |function|
          seen = db.stream("SELECT #{function}(number, 10) AS number FROM generate_series(1, 3000) AS number", chunk: 100).map { told.size }
          assert_equal [3000, 3000], [told.size, seen.size]
          assert_operator seen[1000], :<, 3000
          assert_equal 1, db.stream("SELECT sum(#{function}(number, 100000)) FROM generate_series(1, 60) AS number") { break told.size / 3060 }
          db.transaction { |tx| tx.stream("SELECT #{function}(number, 10) FROM generate_series(1, 20) AS number", chunk: 2) { nil } }
          assert_equal [3080, 10], [told.size, told.last]
          assert_raises(Trunkline::DivisionByZero) { db.stream("SELECT 1 / (10 - #{function}(number, 10)) FROM generate_series(1, 20) AS number") { nil } }
          db.on_notice { raise KeyError, "of the block" }
          assert_raises(KeyError) { db.stream("SELECT #{function}(1, 10)") { nil } }
          assert_equal [3090, 1], [told.size, ask(db, 1)]
        end
      end
    end

    def test_streams_side_by_side
      streaming(connections: 2, max_connections: 6) do |db|
        sums = side_by_side(1..8) { |number| db.stream("SELECT number FROM generate_series(1, $1::int) AS number", number * 500, chunk: 100).sum { |row| row["number"] } }
        assert_equal (1..8).map { |number| (number * 500) * (number * 500 + 1) / 2 }, sums
      end
    end

    private

    def streaming(connections: 2, max_connections: 4, &block)
      in_host_with_client(connections: connections, max_connections: max_connections, &block)
    end
  end
end
