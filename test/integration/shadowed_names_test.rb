# frozen_string_literal: true

require "suites"
require "stringio"
require "uri"
require "trunkline/cli/command"
require "support/shadows"

# Statements of the library's own mean the same whatever schema stands before pg_catalog on the search_path, and whatever that holds.
class ShadowedNamesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  VALUES = {
    "ROW(1, 'b')::public.pair" => { "a" => 1, "b" => "b" }, "ARRAY['sad']::public.mood[]" => ["sad"], "'[1,2)'::public.floats" => 1.0...2.0,
    "'{[1,2)}'::public.floats_multirange" => [1.0...2.0], "ARRAY[ROW(1, 'b')]::public.pair[]" => [{ "a" => 1, "b" => "b" }], "7::public.positive" => 7
  }.freeze
  private_constant :VALUES

  def test_the_shadows_hide_what_they_stand_for
    with_shadows do |uri|
      with_path(uri) do |db|
        ["SELECT 1 = 1", "SELECT pg_backend_pid()", "SELECT oid FROM pg_type", "SELECT 'a'::text"].each do |sql|
          assert_raises(Trunkline::ServerError, sql) { db.query(sql) }
        end
      end
    end
  end

  def test_types_parameters_and_descriptions
    with_shadows do |uri|
      with_path(uri) do |db|
        known_here(VALUES).each { |sql, value| assert_equal value, db.value("SELECT #{sql}"), sql }
        assert_equal VALUES.values.first, db.value("SELECT $1::public.pair", { a: 1, b: "b" })
        assert_equal ["numeric(10,2)", "pair"], db.describe("SELECT 1::pg_catalog.numeric(10,2), ROW(1, 'b')::public.pair").columns.map(&:type)
        db.types.register("public.mood") { |text| text.to_sym }
        assert_equal :sad, db.value("SELECT 'sad'::public.mood")
      end
    end
  end

  # Settings of a query, notifications, deadlines that the server knows, and what a session leaves.
  def test_what_travels_with_queries
    with_shadows do |uri|
      with_path(uri) do |db|
        assert_equal "7", db.value("SELECT pg_catalog.current_setting('a.b')", settings: { "a.b" => "7" })
        db.notify("channel", "payload")
        assert_raises(Trunkline::Deadline) { db.query("SELECT pg_catalog.pg_sleep(60)", deadline: 0.05) }
        db.session { |session| session.query("SELECT pg_catalog.pg_advisory_lock(4711)") }
        assert_equal 0, db.value("SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks WHERE locktype OPERATOR(pg_catalog.=) 'advisory' " \
                                 "AND objid OPERATOR(pg_catalog.=) '4711'")
      end
    end
  end

  # What a client finds out at login, before it shares flushes, of functions that keep state, before it sends a nil in an Array, and of types
  # in a transaction; and what streams and copies take.
  def test_the_queries_of_clients_themselves
    with_shadows do |uri|
      with_path("#{uri}&target_session_attrs=primary", group_commit: true, session_functions: :detect) do |db|
        assert_equal [nil, 1], db.value("SELECT $1::pg_catalog.int4[]", [nil, 1])
        assert_equal VALUES.values.first, db.transaction { |tx| tx.value("SELECT ROW(1, 'b')::public.pair") }
        callers = Array.new(4) { |number| Caller.new { db.query("INSERT INTO public.things VALUES ($1)", number) } }
        callers.each(&:value)
        assert_equal [0, 1, 2, 3], db.stream("SELECT id FROM public.things").map { |row| row["id"] }.sort
        db.copy_out("COPY public.things TO STDOUT", copied = StringIO.new)
        assert_equal 4, copied.string.lines.size
        assert db.value(Trunkline::Postgres.const_get(:SessionSettingsCheck).const_get(:SQL))
      end
    end
  ensure
    postgres_server.psql("TRUNCATE public.things", dbname: Shadows.database(postgres_server))
  end

  # Also where a host asks for its own statements around ours, which this server would refuse: in the adapters. What looks for functions that
  # keep state sets a search_path of its own. int and interval are words of the grammar, and always mean what is in pg_catalog.
  def test_calls_and_casts_in_the_sources
    sources = Shadows.sources.grep_v(%r{/state_keepers/}).map { |file| File.read(file) }
    assert_empty sources.flat_map { |source| source.scan(/[\w'")\]]::(?!(?:int|interval)\b)[a-z]\w*(?!\w|\.)/) }
    calls = sources.flat_map { |source| source.scan(/(?:SELECT|,|\() ?((?:\w+\.)?(?:pg_[a-z_]+|current_setting|current_database|set_config|format_type|unnest))\(/) }
    assert_operator calls.size, :>=, 15
    assert_empty calls.flatten.reject { |call| call.start_with?("pg_catalog.") }
  end

  def test_the_doctor
    with_shadows do |uri|
      output = StringIO.new
      assert_equal 0, Trunkline::CLI::Command.new(out: output, err: output).run(["doctor", with_options(uri)]), output.string
    end
  end

  private

  def options = "-c search_path=#{Shadows::PATH.delete(" ")}"

  def with_options(uri) = "#{uri}&options=#{URI.encode_www_form_component(options).gsub("+", "%20")}"

  def with_path(uri, **options, &block)
    in_host { Trunkline.postgres(with_options(uri), connections: 1, max_connections: 3, **options, &block) }
  end

  def with_shadows = yield(postgres_server.uri(dbname: Shadows.database(postgres_server)))
end
