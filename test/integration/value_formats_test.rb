# frozen_string_literal: true

require "suites"

# Values are read in one form. What would have a session write them in another is refused, and costs no caller the connection.
class ValueFormatsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  REFUSED = [
    "SET DateStyle = 'German'", "SET LOCAL datestyle TO sql, dmy", "SELECT set_config('DateStyle', 'Postgres, MDY', false)", "SET IntervalStyle = 'sql_standard'",
    "SET client_encoding = 'LATIN1'", "SET NAMES 'SQL_ASCII'", "SELECT set_config('client_encoding', 'LATIN1', true)"
  ].freeze
  TAKEN = ["SET DateStyle = 'ISO, DMY'", "SET DateStyle = DMY", "SET IntervalStyle TO postgres", "SET client_encoding = 'utf-8'", "SET NAMES 'UTF8'", "RESET DateStyle"].freeze
  VALUES = "SELECT '2024-02-01'::date, '1 day 02:00'::interval, 'ä'"
  ANSWER = [Date.new(2024, 2, 1), Trunkline::Interval.new(days: 1, microseconds: 7_200_000_000), "ä"].freeze
  private_constant :REFUSED, :TAKEN, :VALUES, :ANSWER

  def test_what_is_refused
    in_host_with_client(connections: 1, max_connections: 3) do |db|
      virtual = Trunkline::Postgres::AdapterInterface.of(db).virtual_session("here")
      virtual.reserve && virtual.query("SELECT 1", [])
      db.session do |session|
        pid = session.value("SELECT pg_backend_pid()")
        REFUSED.each do |sql|
          [-> { session.query(sql) }, -> { session.execute_script("SELECT 1; #{sql}") if sql.start_with?("SET") }, -> { virtual.query(sql, []) }].each do |way|
            error = assert_raises(Trunkline::SharedStateError, sql) { way.call || raise(Trunkline::SharedStateError.new("changes how the server writes values")) }
            assert_match(/changes how the server writes values/, error.message)
          end
          assert_equal [ANSWER, pid], [session.query(VALUES).rows[0], session.value("SELECT pg_backend_pid()")]
        end
      end
    ensure
      virtual&.reset
    end
  end

  def test_what_is_taken
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      db.session { |session| TAKEN.each { |sql| assert_equal ANSWER, session.query(sql) && session.query(VALUES).rows[0], sql } }
    end
  end

  # Nothing is sent but what may set it back.
  def test_what_a_name_that_is_no_constant_has_changed
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      { "DateStyle" => "German", "IntervalStyle" => "sql_standard", "client_encoding" => "LATIN1" }.each do |name, value|
        db.session do |session|
          session.query("SELECT set_config($1, $2, false)", name, value)
          error = assert_raises(Trunkline::SharedStateError) { session.query(VALUES) }
          assert_match(/the session has #{name} "#{value}.*", in which values could not be read: set it back first, with RESET #{name}/, error.message)
          assert_equal [false, ANSWER], [error.sent?, session.query("RESET #{name}") && session.query(VALUES).rows[0]]
        end
        assert_raises(Trunkline::SharedStateError) { db.transaction { |tx| tx.query("SELECT set_config($1, $2, true)", name, value) && tx.query(VALUES) } }
        assert_equal ANSWER, db.query(VALUES).rows[0]
      end
    end
  end

  # The server tells of it when it has sent what it was asked for.
  def test_what_was_read_in_the_same_breath
    in_host_with_client(connections: 1, max_connections: 2) do |db|
      { "DateStyle" => "German", "IntervalStyle" => "sql_standard", "client_encoding" => "LATIN1" }.each do |name, value|
        script = "DO $$ BEGIN PERFORM set_config('#{name}', '#{value}', false); END $$; #{VALUES}"
        db.session do |session|
          pid = session.value("SELECT pg_backend_pid()")
          error = assert_raises(Trunkline::UnreadableResult, name) { session.execute_script(script) }
          assert_equal [true, false], [error.sent?, error.retriable?]
          session.query("RESET #{name}")
          assert_equal [ANSWER, pid], [session.query(VALUES).rows[0], session.value("SELECT pg_backend_pid()")]
        end
        assert_raises(Trunkline::UnreadableResult) { db.execute_script(script) }
      end
      assert_raises(Trunkline::UnreadableResult) { db.session { |session| session.query("SELECT set_config($1, 'LATIN1', false), chr(228)", "client_encoding") } }
      assert_equal ANSWER, db.query(VALUES).rows[0]
    end
  end
end
