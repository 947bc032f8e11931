# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module StateKeepers
      # What a function's text tells of what it leaves in its session.
      class FunctionSourceTest < TestCase
        KEEPING = [
          "BEGIN PERFORM set_config('a.b', 'c', false); END", "BEGIN SET a.b = 'and then'; END", "BEGIN /* ; */ RESET ROLE; END", "LISTEN jobs",
          "BEGIN IF true THEN SET ROLE a; END IF; END", "BEGIN -- it's\n EXECUTE 'SET ROLE a'; END", "BEGIN EXECUTE E'SET\\nROLE \\'a\\''; END",
          "BEGIN EXECUTE $q$SELECT 1; SET a.b = 1$q$; END", "BEGIN EXECUTE 'SET ' || a; END", "BEGIN EXECUTE format('SET %I = 1', a); END",
          "DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$", "BEGIN EXECUTE given; END", "BEGIN EXECUTE $1; END", "BEGIN EXECUTE TG_ARGV[0]; END",
          "BEGIN CREATE TEMP TABLE IF NOT EXISTS t (a int); END", "BEGIN EXECUTE 'EXECUTE $a$SET ROLE b$a$'; END", "BEGIN x := 'it''s'; SET ROLE a; END",
          "BEGIN /* a /* b */ ' */ SET ROLE a; END", "BEGIN\n  LOOP\n SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; END LOOP; END",
          "BEGIN RETURN lastval(); END", "BEGIN INSERT INTO kept VALUES (1); END", "BEGIN TRUNCATE ONLY kept; END", "BEGIN RETURN other(1); END"
        ].freeze
        HARMLESS = [
          "BEGIN PERFORM set_config('a.b', 'c', true); SET LOCAL a.b = 1; END", "BEGIN RAISE NOTICE 'set a.b = 1; then'; END", "BEGIN EXECUTE 'SELECT 1'; END",
          "BEGIN -- SET ROLE a;\n /* SET ROLE b; */ RETURN 1; END", "BEGIN UPDATE t\nSET a = 'SET' WHERE b = 'and then SET x'; END", "SELECT count(*) FROM kept",
          "BEGIN EXECUTE 'UPDATE t SET a = ''SET'''; END", "BEGIN CREATE TEMP TABLE t (a int) ON COMMIT DROP; END", "DECLARE c CURSOR FOR SELECT 1; BEGIN OPEN c; CLOSE c; END",
          "BEGIN x := $$ it's ; SET ROLE a $$; END", "BEGIN EXECUTE mine; END", "SELECT \"a;b\", 'kept; UPDATE'", "", "'", "/*", "$$"
        ].freeze
        KEEPERS = [[nil, "kept", :writing], [nil, "other", :call]].freeze
        private_constant :KEEPING, :HARMLESS, :KEEPERS

        def test_what_keeps_state
          assert_equal [], KEEPING.reject { |text| effect(text) == :passing }
          assert_equal [], HARMLESS.select { |text| effect(text) }
        end

        def test_what_lasts_as_long_as_the_session
          ["BEGIN PERFORM setseed(0.5); END", "SET plpgsql.variable_conflict = 'error'", "BEGIN EXECUTE 'LOAD ''auto_explain'''; END", "SELECT \"lasting\"()"].each do |text|
            assert_equal :lasting, FunctionSource.new(text).effect([[nil, "lasting", :call, true]]), text
          end
        end

        def test_commands_count_where_event_triggers_see_them
          assert_equal [nil, :passing], ([[], [[nil, "", :command]]].map { |keepers| FunctionSource.new("BEGIN IF a THEN DROP TABLE t; END IF; END").effect(keepers) })
        end

        def test_other_languages
          { "plpv8.execute(`\n SET ROLE a`)" => :passing, "plpy.execute(\"SELECT set_config('a.b', 'c', false)\")" => :passing, "GD['a'] = 1" => :lasting,
            "plpy.execute('UPDATE t SET a = 1')" => nil, "spi_exec_query(\"INSERT INTO kept VALUES (1)\")" => :passing, "return 'reset'" => nil }.each do |text, effect|
            assert_equal [effect], [FunctionSource.new(text, "plpython3u").effect(KEEPERS)], text
          end
        end

        def test_a_long_text_takes_time_in_proportion
          ["'", "e'\\'", "/*", "$a$", "\"", "BEGIN;", "SET ", "$", "ä'"].each do |part|
            short, long = [2_000, 20_000].map { |times| allocated { FunctionSource.new(part * times).effect(KEEPERS) } }
            assert_operator long, :<, (short * 20) + 10_000, part
          end
        end

        private

        def effect(text) = FunctionSource.new(text, "plpgsql", %w[given a]).effect(KEEPERS)

        # Objects made: what no loaded machine changes.
        def allocated
          before = GC.stat(:total_allocated_objects)
          yield
          GC.stat(:total_allocated_objects) - before
        end
      end
    end
  end
end
