# frozen_string_literal: true

require "test_helper"
require "support/sharing"

module Trunkline
  module Postgres
    # What the extension makes of SQL, without a server.
    class ClassifyTest < TestCase
      { "evasion" => ::Sharing::EVASIONS, "false_alarm" => ::Sharing::FALSE_ALARMS, "statement_of_applications" => ::Sharing::APPLICATIONS }.each do |kind, statements|
        statements.each do |classification, texts|
          define_method(:"test_each_#{kind}_is_#{classification}") do
            assert_equal [], texts.reject { |sql| classification(sql) == classification.to_sym }.map { |sql| [classification(sql), sql] }
          end
        end
      end

      def test_what_decided_it
        { "SELECT 1" => "SELECT", "  vacuum t" => "vacuum", "SELECT a, pg_catalog . \"set_config\" (1)" => "\"set_config\"",
          "CREATE LOCAL temp TABLE t ()" => "temp", "SELECT 1; SELECT 2" => "SELECT", "SELECT 'x" => " 'x".strip, "" => "",
          "SELECT ü, (1).setseed" => "setseed" }.each { |sql, word| assert_equal word, Statement.new(sql, 0).culprit, sql }
      end

      def test_functions_of_the_users_own
        functions = [["app", "fn"], [nil, "Odd \"one"]]
        { "SELECT fn(1)" => :session, "SELECT app.fn(1)" => :session, "SELECT \"app\" . FN (1)" => :session, "SELECT other.fn(1)" => :shareable,
          "SELECT \"Odd \"\"one\"(1)" => :session, "SELECT any.\"Odd \"\"one\"(1)" => :session, "SELECT \"FN\"(1)" => :shareable,
          "SELECT fn FROM t" => :shareable, "SELECT t.fn FROM t" => :session, "CREATE FUNCTION app.fn(int) RETURNS int" => :shareable,
          "CALL app.fn(1)" => :session, "CREATE TRIGGER t AFTER INSERT ON t EXECUTE FUNCTION fn()" => :shareable,
          "INSERT INTO fn(a) VALUES (1)" => :shareable, "INSERT INTO t SELECT fn(1)" => :session }.each do |sql, classification|
          assert_equal classification, Statement.new(sql, 0, functions).classification, sql
        end
      end

      def test_what_reaches_functions_unseen
        keepers = [["app", "seen", :name], ["app", "kept", :writing], [nil, "@@>", :operator], [nil, "fn", :call, true]]
        { "SELECT * FROM seen" => :session, "SELECT * FROM app.seen s" => :session, "SELECT * FROM other.seen" => :shareable, "DROP VIEW seen" => :shareable,
          "CREATE VIEW v AS TABLE seen" => :shareable, "SELECT 'seen'" => :shareable, "VACUUM seen" => :session, "SELECT NULL::app.seen" => :session,
          "SELECT * FROM kept" => :shareable, "SELECT * FROM kept FOR UPDATE OF kept" => :shareable, "SELECT k.update, kept.delete FROM kept" => :shareable,
          "UPDATE kept SET a = 1" => :session, "INSERT INTO app.kept VALUES (1)" => :session, "TRUNCATE kept" => :session, "INSERT INTO other.kept VALUES (1)" => :shareable,
          "SELECT (SELECT 1 FROM kept), * FROM (WITH q AS (DELETE FROM t RETURNING 1) TABLE q) q" => :session, "EXPLAIN SELECT * FROM kept" => :shareable,
          "GRANT SELECT ON kept TO a" => :shareable, "ALTER TABLE kept ADD a int" => :session, "SELECT 1 @@> 2" => :session, "SELECT 1 @> 2" => :shareable,
          "SELECT '@@>'" => :shareable, "SELECT 1 OPERATOR(app.@@>) 2" => :session, "CREATE TABLE t ()" => :shareable, "CREATE TABLE t AS TABLE kept" => :session }.each do |sql, classification|
          assert_equal classification, Statement.new(sql, 0, keepers).classification, sql
        end
        assert_equal %i[session session session shareable session],
                     (["CREATE TABLE t ()", "DROP VIEW v", "SELECT 1 INTO t", "INSERT INTO t SELECT 1", "REFRESH MATERIALIZED VIEW v"].map { |sql| Statement.new(sql, 0, [[nil, "", :command]]).classification })
        assert_equal %i[visible hidden hidden lasting lasting],
                     (["SELECT 1", "TABLE seen", "SELECT currval('s') FROM seen", "SELECT fn()", "UPDATE kept SET a = fn()"].map { |sql| Statement.new(sql, 0, keepers).effect })
        assert_raises(ArgumentError) { Statement.new("SELECT 1", 0, [[nil, "x", :other]]) }
      end

      def test_what_is_judged_again
        statement = Statement.new("SELECT * FROM seen", 0)
        assert_equal [false, :session, true, :shareable], [statement.classify_again([[nil, "seen", :name]]), statement.classification, statement.classify_again([]), statement.classification]
        refute statement.leaky!.classify_again([])
      end

      # The guide tells these numbers.
      def test_how_many_statements_of_applications_pin
        pinned = ::Sharing::APPLICATIONS.reject { |classification,| %w[shareable alone].include?(classification) }
        assert_equal [233, 13], [::Sharing::APPLICATIONS, pinned].map { |statements| statements.values.sum(&:size) }
      end

      MOMENTARY = ["SELECT timestamptz 'now'", "SELECT 'TODAY'::date", "SELECT * FROM t WHERE at > 'yesterday 12:00'::timestamp", "SELECT '{now,today}'::date[]",
                   "SELECT '[now,tomorrow)'::tstzrange", "SELECT date(' Tomorrow ')", "SELECT E'n\\x6fw'::date", "SELECT E'\\156ow'::date", "SELECT e'\\u006eow'::date",
                   "SELECT U&'n\\006fw'::date", "SELECT $$now$$::date", "SELECT $a$now$a$::date", "SELECT 'no'\n'w'::date"].freeze
      LASTING = ["SELECT now(), today, 'nowhere', 'know', 'todays', 'infinity'::date, 'epoch'::timestamp", "SELECT \"now\"", "SELECT $1::date, E'\\now'", "SELECT /* 'now' */ 1",
                 "SELECT 'a' AS b, 'c'", "SELECT 1.5, x'1F', b'1'"].freeze
      private_constant :MOMENTARY, :LASTING

      def test_constants_that_mean_another_moment_each_time
        assert_equal [], (MOMENTARY.reject { |sql| Statement.new(sql, 0).time_dependent? })
        assert_equal [], (LASTING.select { |sql| Statement.new(sql, 0).time_dependent? })
      end

      def test_names_longer_than_the_servers
        long = "ü#{"x" * 70}"
        functions = [[nil, long.byteslice(0, 63)]]
        assert_equal :session, Statement.new("SELECT #{long}()", 0, functions).classification
        assert_equal :session, Statement.new("SELECT \"#{long}\"()", 0, functions).classification
        assert_equal :session, Statement.new("SELECT U&\"\\00fc#{"x" * 70}\"()", 0, functions).classification
        assert_equal :shareable, Statement.new("SELECT #{long[0, 61]}()", 0, functions).classification
      end

      def test_names_are_cut_off_between_characters
        name = "#{"x" * 62}ü"
        assert_equal :session, Statement.new("SELECT #{name}()", 0, [[nil, "x" * 62]]).classification
      end

      def test_depth_and_length_have_no_limit
        assert_equal :session, classification("#{"(" * 100_000}SELECT set_config(1)#{")" * 100_000}")
        assert_equal :shareable, classification("#{"/*" * 100_000}#{"*/" * 100_000}SELECT 1")
        assert_equal :unknown, classification("#{"/*" * 100_001}#{"*/" * 100_000}SELECT 1")
      end

      # Each repetition makes the scanner look ahead. A quadratic scanner would take minutes for so many.
      def test_time_grows_with_the_length_alone
        long = ["U&\"a\" ", "U&\"a\"/*", "E'a'\n", "E'a'--\n", "$a", "$a$", "currval(", "(", "[", "a.currval ", "set_config(a,", "'"]
        before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
        long.each { |part| Fiber.new { classification("SELECT #{part * (1_000_000 / part.size)}") }.resume }
        assert_operator Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before, :<, 10
      end

      private

      def classification(sql) = Statement.new(sql, 0).classification
    end
  end
end
