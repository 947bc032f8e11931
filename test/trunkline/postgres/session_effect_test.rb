# frozen_string_literal: true

require "test_helper"
require "trunkline/postgres/statements/session_effect"

module Trunkline
  module Postgres
    # What the text of SQL tells of what it leaves in its session.
    class SessionEffectTest < TestCase
      EFFECTS = {
        %i[same reset] => [
          "SELECT pg_advisory_lock(1)", "SELECT currval('s')", "DECLARE c CURSOR FOR SELECT 1", "LISTEN jobs", "SET LOCAL app.tenant = '7'", "RESET app.x",
          "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET CONSTRAINTS ALL DEFERRED", "SET statement_timeout = 1", "BEGIN", "LOCK TABLE t",
          "SET session_replication_role = replica", "SET work_mem = '1GB'", "SET vacuum_cost_delay = 1", "SELECT set_config('app.tenant', $1, false)", "COPY t FROM STDIN", "SELECT 1"
        ],
        %i[names reset] => [
          "SET search_path TO a, b", "set local schema 'a'", "SET ROLE x", "SET SESSION AUTHORIZATION x", "SELECT pg_catalog.set_config('search_path', $1, false)",
          "CREATE TEMP TABLE x (a int)", "CREATE OR REPLACE TEMPORARY VIEW x AS SELECT 1", "SELECT * FROM pg_temp.x", "SELECT currval('s'), set_config('role', 'x', true)",
          "SET LOCAL enable_seqscan = off", "SET random_page_cost = 1.1", "SET max_parallel_workers_per_gather = 0", "SET jit = off", "SET geqo TO off"
        ],
        %i[plans reset] => [
          "SET TimeZone = 'Asia/Tokyo'", "set local time zone 'UTC'", "RESET \"TimeZone\"", "RESET ALL", "SET some_setting = on",
          "SELECT set_config('search_path', 'a', true), set_config('xmloption', 'content', true)"
        ],
        %i[plans discard] => ["PREPARE x AS SELECT 1", "DO 'BEGIN END'", "DISCARD ALL", "SELECT 1; SELECT 2", "SELECT query_to_xml('SELECT 1', true, true, '')", "SELEC"],
        %i[plans close] => [
          "SELECT setseed(0.5)", "SELECT isn_weak(true)", "SELECT dblink_connect('x')", "LOAD 'auto_explain'", "SELECT pg_backup_start('x')",
          "SELECT pg_create_physical_replication_slot('x', true, true)", "SELECT pg_replication_origin_session_setup('x')", "SET standard_conforming_strings = off",
          "SET seed = 0.5", "SET plpgsql.variable_conflict = use_column", "SELECT set_config($1, $2, false)", "SET/**/TimeZone='x'", "DO 'BEGIN PERFORM setseed(0.5); END'",
          "SELECT U&\"\\0073etseed\"(0.5)", "SELECT 1; LOAD 'x'"
        ],
        %i[same close] => ["SELECT pg_advisory_lock(1), setseed(0.5)"]
      }.freeze
      private_constant :EFFECTS

      def test_effects
        EFFECTS.each do |expected, texts|
          texts.each do |sql|
            statement = Statement.new(sql, 0)
            effect = SessionEffect.of(sql, statement.classification, statement.culprit)
            assert_equal expected, [effect.parse_context, effect.cleanup], sql
          end
        end
      end

      def test_values_of_settings
        { "SET DateStyle = 'German'" => [%w[datestyle German]], "SET LOCAL IntervalStyle TO postgres;" => [%w[intervalstyle postgres]],
          "SET NAMES 'LATIN1'" => [%w[client_encoding LATIN1]], "SELECT set_config('DateStyle', 'SQL', true)" => [%w[datestyle SQL]],
          "SELECT set_config('DateStyle', $1, true)" => [["datestyle", nil]], "SELECT set_config($1, 'x', true)" => nil }.each do |sql, changes|
          changes ? assert_equal(changes, SettingNames.changes(sql), sql) : assert_nil(SettingNames.changes(sql), sql)
        end
      end
    end
  end
end
