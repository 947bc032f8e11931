# frozen_string_literal: true

require "suites"

# Statements prepare themselves, and go when they must; what is prepared never gives a wrong value.
class StatementsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # What the session of a client with one connection has prepared.
  def prepared(db) = db.query("SELECT name, statement FROM pg_prepared_statements").rows

  def test_a_statement_is_prepared_once
    with_client(connections: 1) do |db|
      10.times { |number| assert_equal number, db.value("SELECT $1::int", number) }
      assert_equal 1, prepared(db).count { |_, sql| sql == "SELECT $1::int" }
    end
  end

  # The server reads 'now' when it parses a statement: a prepared one would tell the time of its first use for ever.
  def test_a_constant_that_means_the_present_is_not_kept_prepared
    with_client(connections: 1) do |db|
      [db, db.with(keys: :symbol)].each { |asker| assert_later(asker) }
      db.session { |session| assert_later(session) }
      assert_empty prepared(db).map(&:last).grep(/'now'/)
    end
  end

  # Until the clock of the server has gone on.
  def assert_later(asker)
    first, last = Array.new(2) { asker.value("SELECT timestamptz 'now'").tap { asker.query("SELECT pg_sleep(0.001)") } }
    assert_operator last, :>, first
  end

  def test_evicted_statements_are_closed_on_the_server
    with_client(connections: 1) do |db|
      2500.times { |number| assert_equal number, db.value("SELECT #{number}") }
      names, statements = prepared(db).transpose
      assert_operator names.size, :<=, 1001
      assert_includes statements, "SELECT 2499"
      refute_includes statements, "SELECT 0"
      assert_equal 0, db.value("SELECT 0")
      refute_includes names, prepared(db).find { |_, sql| sql == "SELECT 0" }.first
    end
  end

  def test_evicted_by_their_length
    with_client(connections: 1) do |db|
      200.times { |number| assert_equal number, db.value("SELECT #{number} /* #{"x" * 100_000} */") }
      assert_operator prepared(db).sum { |_, sql| sql.bytesize }, :<=, 10_000_000
    end
  end

  def test_texts_that_are_too_long_to_be_kept
    with_client(connections: 1) do |db|
      long = "SELECT $1::int /* #{"x" * 200_000} */"
      20.times { |number| assert_equal number, db.value(long, number) }
      assert_operator prepared(db).count { |_, sql| sql == long }, :<=, 1
    end
  end

  def test_many_callers_with_more_statements_than_are_kept
    in_host_with_client(connections: 2) do |db|
      answers = side_by_side(0...100) { |caller| Array.new(30) { |number| db.value("SELECT #{(caller * 30) + number}") } }
      assert_equal (0...3000).to_a, answers.flatten
    end
  end

  # --- statements that the session has lost ---

  LOSSES = ["DEALLOCATE ALL", "DISCARD ALL", "DISCARD PLANS"].freeze
  private_constant :LOSSES

  LOSSES.each do |sql|
    define_method(:"test_a_session_after_#{sql.downcase.tr(" ", "_")}") do
      with_client do |db|
        db.session do |session|
          2.times { session.value("SELECT $1::int", 1) && session.value("SELECT $1::bytea", "\\101".b) }
          session.query(sql)
          assert_equal 1, session.value("SELECT $1::int", 1)
          assert_equal "\\101".b, session.value("SELECT $1::bytea", "\\101".b)
        end
      end
    end
  end

  def test_after_a_function_has_deallocated_all
    name = "f#{SecureRandom.hex(6)}"
    psql("CREATE FUNCTION #{name}() RETURNS void LANGUAGE plpgsql AS 'BEGIN DEALLOCATE ALL; END'")
    in_host_with_client(connections: 1) do |db|
      2.times { db.value("SELECT $1::int", 1) && db.value("SELECT $1::bytea", "\\101".b) }
      db.query("SELECT #{name}()")
      assert_equal (1..50).to_a, side_by_side(1..50) { |number| db.value("SELECT $1::int", number) }
      assert_equal "\\101".b, db.value("SELECT $1::bytea", "\\101".b)
    end
  ensure
    psql("DROP FUNCTION #{name}")
  end

  # --- what they are about changes ---

  # @yieldparam db [Trunkline::Postgres::Client] two connections, both of which know the statements of the block before
  # @yieldparam table [String] with a column v
  def with_prepared(type, *statements)
    with_table("v #{type}") do |table|
      in_host_with_client(connections: 2, max_connections: 2) do |db|
        sqls = statements.map { |sql| sql.sub("TABLE", table) }
        on_both(db, sqls) { |sql| yield :prepare, db, sql }
        yield :change, db, table
        3.times { on_both(db, sqls) { |sql| yield :check, db, sql } }
      end
    end
  end

  # Many at once, and then for certain on each connection.
  def on_both(db, sqls, &call)
    side_by_side(sqls * 20, &call)
    db.session do
      sqls.each(&call)
      later { sqls.each(&call) }.value
    end
  end

  def test_a_column_of_another_type
    { %w[int text] => "7", %w[text int] => 7, %w[int float8] => 7.0, %w[int bigint] => 7, %w[bigint numeric] => BigDecimal("7"),
      %w[text bytea] => "7".b, %w[date text] => "2024-02-29", %w[text date] => Date.new(2024, 2, 29) }.each do |(before, after), value|
      with_prepared(before, "SELECT v FROM TABLE") do |stage, db, sql|
        case stage
        when :prepare then assert_nil db.value(sql)
        when :change
          db.query("ALTER TABLE #{sql} ALTER v TYPE #{after} USING v::text::#{after}")
          db.query("INSERT INTO #{sql} VALUES ($1)", value)
        else assert_equal [value, value.class], db.value(sql).then { |got| [got, got.class] }, "#{before} to #{after}"
        end
      end
    end
  end

  def test_a_parameter_of_another_type
    { %w[text int] => ["7", 7], %w[int text] => [7, "seven"], %w[int bigint] => [7, 10**12], %w[bytea text] => ["\xFF".b, "ü"],
      %w[text bytea] => ["ü", "\\101".b], %w[int float8] => [7, 0.5], %w[float8 int] => [0.5, 7] }.each do |types, (before, after)|
      with_prepared(types.first, "INSERT INTO TABLE VALUES ($1) RETURNING v") do |stage, db, sql|
        case stage
        when :prepare then assert_equal before, db.value(sql, before)
        when :change
          db.query("DELETE FROM #{sql}")
          db.query("ALTER TABLE #{sql} ALTER v TYPE #{types.last} USING NULL")
        else assert_equal after, db.value(sql, after), types.inspect
        end
      end
    end
  end

  def test_more_and_fewer_columns
    with_prepared("int", "SELECT * FROM TABLE", "INSERT INTO TABLE VALUES (1) RETURNING *") do |stage, db, sql|
      case stage
      when :prepare then db.query(sql)
      when :change
        db.query("DELETE FROM #{sql}")
        db.query("ALTER TABLE #{sql} ADD w text DEFAULT 'new'")
      else assert_equal [%w[v w], [[1, "new"]]], db.query(sql).then { |result| [result.columns, result.rows.uniq] }, sql unless db.query(sql).empty?
      end
    end
  end

  def test_a_table_made_anew
    with_prepared("int", "SELECT v FROM TABLE WHERE v = $1") do |stage, db, sql|
      case stage
      when :prepare then assert_nil db.value(sql, 1)
      when :change
        db.execute_script("DROP TABLE #{sql}; CREATE TABLE #{sql} (v text); INSERT INTO #{sql} VALUES ('one')")
      else assert_equal "one", db.value(sql, "one")
      end
    end
  end

  def test_a_type_made_anew
    name = "mood#{SecureRandom.hex(4)}"
    psql("CREATE TYPE #{name} AS ENUM ('a')")
    in_host_with_client(connections: 2, max_connections: 2) do |db|
      on_both(db, ["SELECT ARRAY[$1::#{name}]"]) { |sql| assert_equal %w[a], db.value(sql, "a") }
      db.execute_script("DROP TYPE #{name}; CREATE TYPE #{name} AS ENUM ('b')")
      3.times { on_both(db, ["SELECT ARRAY[$1::#{name}]"]) { |sql| assert_equal %w[b], db.value(sql, "b") } }
    end
  ensure
    psql("DROP TYPE #{name}")
  end

  # --- statements of every kind ---

  def test_nothing_to_return
    with_table("id int") do |table|
      with_client do |db|
        3.times do
          result = db.query("CREATE TABLE IF NOT EXISTS #{table} (id int)")
          assert_equal [[], [], nil, nil, 0], [result.rows, result.columns, result.affected_rows, result.value, result.size]
          assert_equal 0, db.query("DELETE FROM #{table}").affected_rows
        end
      end
    end
  end

  def test_nothing_to_do
    with_client(connections: 1) do |db|
      ["", " ", ";", "-- words", "/* words */"].each { |sql| 3.times { assert_equal [[], [], nil], db.query(sql).then { |none| [none.rows, none.columns, none.affected_rows] } } }
      assert_equal [[[]], []], db.query("SELECT").then { |none| [none.rows, none.columns] }
      3.times { assert_equal [[], [], []], db.query("SELECT FROM generate_series(1, 3)").rows }
    end
  end

  def test_as_many_columns_as_there_can_be
    list = (1..1600).map { |number| "#{number} AS c#{number}" }.join(", ")
    in_host_with_client(connections: 1) do |db|
      rows = side_by_side(1..20) { db.query("SELECT #{list}").rows }
      assert_equal [[(1..1600).to_a]], rows.uniq
      assert_equal 1600, db.first("SELECT #{list}").size
    end
  end

  def test_notices_belong_to_their_statement
    in_host_with_client(connections: 1) do |db|
      results = side_by_side(1..50) { |number| number.odd? ? db.query("DROP TABLE IF EXISTS no#{number}, nor#{number}") : db.query("SELECT 1") }
      expected = (1..50).map { |number| number.odd? ? ["no#{number}", "nor#{number}"] : [] }
      assert_equal expected, (results.map { |result| result.notices.map { |notice| notice[:message][/"(.*)"/, 1] } })
    end
  end

  def test_scripts
    in_host_with_client do |db|
      made, inserted, selected, none = db.execute_script("CREATE TEMP TABLE s (id int, t text); INSERT INTO s VALUES (1, 'ü'), (2, NULL); TABLE s; SELECT 1 WHERE false")
      assert_equal [nil, 2, 2, 0], [made, inserted, selected, none].map(&:affected_rows)
      assert_equal [{ "id" => 1, "t" => "ü" }, { "id" => 2, "t" => nil }], selected.to_a
      assert_equal [[], ["?column?"]], [none.rows, none.columns]
      assert_equal [0], db.execute_script("").map(&:size)
      assert_raises(Trunkline::UndefinedTable) { db.query("TABLE s") }
    end
  end

  def test_a_script_is_one_transaction
    with_table("id int") do |table|
      in_host_with_client do |db|
        assert_raises(Trunkline::DivisionByZero) { db.execute_script("INSERT INTO #{table} VALUES (1); SELECT 1/0") }
        assert_equal 0, db.value("SELECT count(*) FROM #{table}")
        db.execute_script("BEGIN; INSERT INTO #{table} VALUES (1); COMMIT; INSERT INTO #{table} VALUES (2)")
        assert_equal 2, db.value("SELECT count(*) FROM #{table}")
        db.execute_script("BEGIN; INSERT INTO #{table} VALUES (3)")
        assert_equal 2, db.value("SELECT count(*) FROM #{table}")
      end
    end
  end

  # Whichever way it is asked for in a session: it is prepared anew, and its caller notices nothing.
  WAYS_IN_A_SESSION = {
    "query" => ->(session, sql) { session.query(sql).columns }, "async" => ->(session, sql) { session.async(sql).value.columns },
    "first" => ->(session, sql) { session.first(sql).keys }, "stream" => ->(session, sql) { session.stream(sql).first.keys },
    "batch" => ->(session, sql) { session.batch { |batch| batch.query(sql) }.first.columns },
    "atomic batch" => ->(session, sql) { session.batch(atomic: true) { |batch| batch.query(sql) }.first.columns }
  }.freeze
  private_constant :WAYS_IN_A_SESSION

  def test_a_statement_that_another_program_has_outdated_within_a_session
    WAYS_IN_A_SESSION.each do |name, way|
      with_table("a int") do |table|
        psql("INSERT INTO #{table} VALUES (1)")
        with_client(connections: 1, max_connections: 2) do |db|
          db.session do |session|
            [session, db].each_with_index do |asked, number|
              way.call(asked, "SELECT * FROM #{table}")
              psql("ALTER TABLE #{table} ADD b#{number} int")
              assert_equal "b#{number}", way.call(asked, "SELECT * FROM #{table}").last, name
            end
          end
        end
      end
    end
  end

  def test_a_statement_that_the_server_has_lost_within_a_session
    with_forgetting_function do |forget|
      with_client(connections: 1, max_connections: 2) do |db|
        db.session { |session| assert_equal [1, 1], [session.value("SELECT 1"), session.query(forget) && session.value("SELECT 1")] }
      end
    end
  end
end
