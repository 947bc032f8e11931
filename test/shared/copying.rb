# frozen_string_literal: true

require "stringio"

module Shared
  # COPY in and out. The test includes a host.
  module Copying
    include Gated
    include Interruptions

    ROWS = [[1, "a\tb\\c\n\r\v\b\f", 1.5, [1, nil], { "a" => [1] }, "\x00\xFF\\".b, Time.utc(2020, 2, 29, 1, 2, 3), true],
            [-2, "", -0.25, [], {}, "".b, Time.utc(1960), false], [nil] * 8].freeze
    COLUMNS = "id int, name text, part float8, list int[], doc jsonb, raw bytea, at timestamp, flag bool"
    private_constant :ROWS, :COLUMNS

    def test_copy_rows_as_arrays
      copying(COLUMNS) do |db, table|
        assert_equal 3, db.copy_in("COPY #{table} FROM STDIN") { |copy| ROWS.each { |row| assert_same copy, copy << row } }
        assert_equal ROWS, db.query("SELECT * FROM #{table}").rows
        taken = []
        assert_equal 3, db.copy_out("COPY #{table} TO STDOUT") { |row| taken << row }
        assert_equal ROWS, taken
        assert_equal 0, db.copy_in("COPY #{table} FROM STDIN") { nil }
      end
    end

    def test_copy_rows_in_binary
      copying(COLUMNS.sub("list int[], ", "")) do |db, table|
        rows = ROWS.map { |row| row[0, 3] + row[4..] }
        assert_equal 3, db.copy_in("COPY #{table} FROM STDIN (FORMAT binary)") { |copy| rows.each { |row| copy << row } }
        taken = []
        db.copy_out("COPY (TABLE #{table}) TO STDOUT WITH (FORMAT 'binary')") { |row| taken << row }
        assert_equal [rows, rows], [db.query("SELECT * FROM #{table}").rows, taken]
      end
    end

    def test_copy_data_as_strings_and_from_an_io
      copying("id int, name text") do |db, table|
        db.copy_in("COPY #{table} FROM STDIN (FORMAT csv)") { |copy| copy << "1,o" << "ne\n2,\"a,b\"\n" }
        assert_equal 1, db.copy_in("COPY #{table} FROM STDIN (FORMAT csv)", StringIO.new("3,three\n"))
        db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << "4\tfour\n" << [5, "five"] << StringIO.new("6\tsix\n") << "7\tsi\u00EBben\n".encode("UTF-16LE") }
        raw = []
        db.copy_out("COPY (SELECT * FROM #{table} ORDER BY id) TO STDOUT CSV", raw: true) { |line| raw << line }
        assert_equal ["1,one\n", "2,\"a,b\"\n", "3,three\n", "4,four\n", "5,five\n", "6,six\n", "7,siëben\n"], raw
        assert_equal raw.join, StringIO.new.tap { |io| db.copy_out("COPY (SELECT * FROM #{table} ORDER BY id) TO STDOUT CSV", io) }.string
      end
    end

    # Much more than sockets and portions hold, in both directions.
    def test_copy_many_rows
      copying("id int, name text") do |db, table|
        rows = Array.new(30_000) { |id| [id, "name #{id}"] }
        db.copy_in("COPY #{table} FROM STDIN") { |copy| rows.each { |row| copy << row } }
        taken = []
        db.copy_out("COPY #{table} TO STDOUT") { |row| taken << row }
        assert_equal rows, taken
        text = StringIO.new
        db.copy_out("COPY #{table} TO STDOUT", text)
        db.query("TRUNCATE #{table}")
        db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << text.string }
        assert_equal rows, db.query("TABLE #{table}").rows
      end
    end

    def test_copy_a_block_that_raises_stores_nothing
      copying("id int") do |db, table|
        error = assert_raises(RuntimeError) { db.copy_in("COPY #{table} FROM STDIN") { |copy| 50_000.times { |id| copy << [id] } && raise("enough") } }
        assert_equal ["enough", 0], [error.message, db.value("SELECT count(*) FROM #{table}")]
        db.copy_in("COPY #{table} FROM STDIN") { |copy| break copy << [1] }
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        assert_match(/pinned=0/, db.inspect)
      end
    end

    def test_copy_what_a_row_cannot_be
      copying("id int, name text") do |db, table|
        bad = { [1] => ArgumentError, [1, "\xFF"] => EncodingError, [1, "a\0"] => ArgumentError, [1, Object.new] => TypeError, 7 => TypeError }
        bad.each { |row, kind| assert_raises(kind) { db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [1, "one"] << row } } }
        stored = db.copy_in("COPY #{table} FROM STDIN") { |copy| [[1, "one"], [2]].each { |row| copy << row rescue nil } } # rubocop:disable Style/RescueModifier
        assert_equal 1, stored
        assert_raises(TypeError) { db.copy_in("COPY #{table} FROM STDIN (FORMAT binary)") { |copy| copy << ["1", "one"] } }
        assert_raises(RangeError) { db.copy_in("COPY #{table} FROM STDIN (FORMAT binary)") { |copy| copy << [2**31, "one"] } }
        assert_raises(ArgumentError) { db.copy_in("COPY #{table} FROM STDIN CSV") { |copy| copy << [1, "one"] } }
        assert_equal [[1, "one"]], db.query("TABLE #{table}").rows
      end
    end

    def test_copy_data_that_the_server_refuses
      copying("id int") do |db, table|
        assert_raises(Trunkline::InvalidTextRepresentation) { db.copy_in("COPY #{table} FROM STDIN") { |copy| 100_000.times { |id| copy << [id == 10 ? "ten" : id] } } }
        assert_raises(Trunkline::CharacterNotInRepertoire) { db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << "\xFF\n" } }
        assert_raises(Trunkline::DivisionByZero) { db.copy_out("COPY (SELECT 1 / (5000 - id) FROM generate_series(1, 5000) AS id) TO STDOUT") { nil } }
        assert_raises(Trunkline::UndefinedTable) { db.copy_in("COPY nothing FROM STDIN") { flunk } }
        assert_equal [0, 1], [db.value("SELECT count(*) FROM #{table}"), ask(db, 1)]
      end
    end

    def test_copy_statements_that_do_not_copy_so
      copying("id int") do |db, table|
        ["SELECT 1", "COPY #{table} TO STDOUT", "COPY #{table} FROM '/dev/null'", "COPY #{table} FROM STDIN; SELECT 1", ""].each do |sql|
          assert_raises(ArgumentError, sql) { db.copy_in(sql) { flunk } }
        end
        assert_raises(ArgumentError) { db.copy_out("COPY #{table} FROM STDIN") { flunk } }
        assert_raises(ArgumentError) { db.copy_out("COPY #{table} TO STDOUT CSV") { flunk } }
        assert_raises(ArgumentError) { db.copy_in("COPY #{table} FROM STDIN") }
        assert_raises(Trunkline::SharedStateError) { db.query("COPY #{table} FROM STDIN") }
        assert_equal 1, ask(db, 1)
      end
    end

    # The server writes more notices than sockets hold while it is written to, and while its rows are not taken. They are told as they
    # come, and not kept.
    def test_copy_a_storm_of_notices
      copying("id int") do |db, table|
        told = 0
        db.on_notice { |notice| told += notice[:message].size }
        with_noticing_function do |function|
          db.query("ALTER TABLE #{table} ADD CHECK (#{function}(id, 2000) >= 0)")
          assert_equal 1500, db.copy_in("COPY #{table} FROM STDIN") { |copy| 1500.times { |id| copy << [id] } }
          assert_equal 3_000_000, told
          seen = []
          db.copy_out("COPY (SELECT #{function}(id, 2000) FROM #{table}) TO STDOUT") { |id,| seen << told if id == ask(db, id) && (id % 500).zero? }
          assert_equal [true, 6_000_000], [seen[1] < told, told]
        end
      end
    end

    # A slow caller keeps the server waiting, and no other caller.
    def test_copy_for_a_slow_reader
      name = unique_name
      in_host_with_client(connections: 1, max_connections: 2, application_name: name) do |db|
        taken = 0
        db.copy_out("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 20000)) TO STDOUT") do |text,|
          assert_waits(name, "ClientWrite") if taken.zero?
          ask(db, 1) if (taken % 5_000_000).zero?
          taken += text.size
        end
        assert_equal 20_000_000, taken
      end
    end

    # A pipe takes little at a time, and gives little.
    def test_copy_to_a_slow_disk_and_from_one
      name = unique_name
      with_table("id int") do |table|
        in_host_with_client(connections: 1, max_connections: 2, application_name: name) do |db|
          from, to = IO.pipe
          out = later { db.copy_out("COPY (SELECT generate_series(1, 200000)) TO STDOUT", to).tap { to.close } }
          assert_waits(name, "ClientWrite")
          assert_equal 1, ask(db, 1)
          text = Thread.new { from.read }.value
          assert_equal [200_000, (1..200_000).sum { |id| id.to_s.size + 1 }], [out.value, text.bytesize]
          from, to = IO.pipe
          into = later { db.copy_in("COPY #{table} FROM STDIN", from) }
          text.each_line.first(5).each { |line| to.write(line) && ask(db, 1) }
          Thread.new { to.write(text.lines.drop(5).join) && to.close }.join
          assert_equal [200_000, 200_000], [into.value, db.value("SELECT count(*) FROM #{table}")]
        end
      end
    end

    def test_copy_leaving_the_block_early_gives_the_connection_back
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        seen = db.copy_out("COPY (SELECT generate_series(1, 100000000)) TO STDOUT") { |number,| break number if number == 5000 }
        assert_equal [5000, 1], [seen, ask(db, 1)]
        db.session { |session| assert_equal 2, ask(session, 2) }
      end
    end

    # What is asked in the block goes elsewhere.
    def test_copy_queries_within
      copying("id int") do |db, table|
        db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [db.value("SELECT 1")] }
        db.copy_out("COPY #{table} TO STDOUT") { |id,| db.query("INSERT INTO #{table} VALUES ($1)", id + 1) }
        assert_equal [[1], [2]], db.query("TABLE #{table}").rows
      end
    end

    def test_copy_in_a_transaction
      copying("id int") do |db, table|
        db.transaction do |tx|
          tx.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [1] }
          db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [2] }
          error = assert_raises(Trunkline::SharedStateError) { tx.transaction { tx.copy_out("COPY #{table} TO STDOUT") { tx.query("SELECT 1") } } }
          assert_match(/in the middle of a stream or COPY/, error.message)
          assert_equal 2, tx.value("SELECT count(*) FROM #{table}")
          raise Trunkline::Rollback
        end
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end

    def test_copy_of_a_sessions_own_table
      in_host_with_client do |db|
        db.session do |session|
          session.query("CREATE TEMP TABLE own (id int)")
          db.with(deadline: 20).copy_in("COPY own FROM STDIN") { |copy| copy << [1] << [2] }
          assert_equal 2, session.copy_out("COPY own TO STDOUT") { nil }
        end
      end
    end

    def test_copy_with_settings_and_a_role
      copying("id int") do |db, table|
        scope = db.with(settings: { "app.tenant" => "7" })
        seen = []
        scope.copy_out("COPY (SELECT current_setting('app.tenant')) TO STDOUT") { |tenant,| seen << tenant }
        scope.transaction { |tx| tx.copy_in("COPY #{table} FROM STDIN") { |copy| copy << [seen.size] } }
        assert_raises(Trunkline::SharedStateError) { db.transaction { |tx| tx.query("SELECT 1") && tx.with(settings: { "app.tenant" => "8" }).copy_in("COPY #{table} FROM STDIN") { flunk } } }
        assert_equal [["7"], [[1]]], [seen, db.query("TABLE #{table}").rows]
      end
    end

    # What adapters of other libraries build on.
    def test_copy_piece_by_piece
      copying("id int") do |db, table|
        db.session do |session|
          copy = session.copy("COPY #{table} FROM STDIN")
          assert_equal [:in, false, 1, 2], [copy.direction, copy.binary?, copy.columns, copy.write("1\n").write("2\n").finish]
          session.copy("COPY #{table} FROM STDIN").write("3\n").abort
          copy = session.copy("COPY #{table} TO STDOUT")
          assert_equal ["1\n", "2\n", nil, 2], [copy.read, copy.read, copy.read, copy.finish]
          assert_equal 2, session.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_copy_a_caller_that_is_interrupted
      copying("id int") do |db, table|
        begun = Thread::Queue.new
        caller = later { db.copy_in("COPY #{table} FROM STDIN") { |copy| copy << ["1"] && begun.push(true) && Thread::Queue.new.pop } }
        begun.pop
        caller.cancel(Interruptions::Cancelled.new)
        assert_instance_of Interruptions::Cancelled, caller.error
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        assert eventually { db.inspect.include?("pinned=0") }
      end
    end

    def test_copy_a_deadline
      copying("id int") do |db, table|
        assert_raises(Trunkline::Deadline) { db.copy_out("COPY (SELECT pg_sleep(1000)) TO STDOUT", deadline: 0.1) { flunk } }
        assert_raises(Trunkline::Deadline) { db.copy_in("COPY #{table} FROM STDIN", deadline: 0.1) { |copy| loop { copy << [1] } } }
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
      end
    end

    def test_copy_a_connection_that_is_lost
      gated do |db, proxy|
        error = assert_raises(Trunkline::Error) do
          db.copy_in("COPY pg_temp.nothing FROM STDIN") { flunk }
        end
        assert_instance_of Trunkline::UndefinedTable, error
        cut = nil
        assert_raises(Trunkline::Indeterminate) { db.copy_out("COPY (SELECT generate_series(1, 100000000)) TO STDOUT") { cut ||= proxy.disconnect } }
        assert eventually { (ask(db, 1) rescue nil) == 1 } # rubocop:disable Style/RescueModifier
      end
    end

    private

    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldparam table [String]
    def copying(columns)
      with_table(columns) { |table| in_host_with_client(connections: 2, max_connections: 4) { |db| yield db, table } }
    end
  end
end
