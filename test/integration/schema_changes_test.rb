# frozen_string_literal: true

require "suites"

# Many fibers read tables that change all the time.
class SchemaChangesTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async
  include Shared::SchemaChanges

  # Every statement is prepared again at once where nothing is believed for longer.
  def test_parameters_of_a_table_whose_types_another_program_has_changed
    with_table("ts timestamp, r real") do |table|
      Trunkline.postgres("#{postgres_server.uri}&options=-c%20timezone%3DAsia/Tokyo", connections: 1, max_statement_age: 1e-9) do |db|
        insert = -> { db.query("INSERT INTO #{table} VALUES ($1, $2)", Time.utc(2024, 1, 1), 0.1) }
        2.times { insert.call }
        psql("ALTER TABLE #{table} ALTER ts TYPE timestamptz USING ts AT TIME ZONE 'UTC', ALTER r TYPE double precision USING 0.1")
        insert.call
        assert_equal [[Time.utc(2024, 1, 1), 0.1]], db.query("SELECT DISTINCT ts, r FROM #{table}").rows
      end
    end
  end

  def test_what_is_believed_for_long_is_not_asked_for_again
    in_host_with_client(connections: 1, max_statement_age: Float::INFINITY) do |db|
      3.times { db.query("SELECT $1::int", 1) }
      assert_match(/_1\z/, db.value("SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT $1::int'"))
    end
  end

  # A value with another number of fields than the type had tells that it has changed. Else it is looked up again with the statement.
  def test_composite_types_that_another_program_has_changed
    with_table("a int") do |table|
      psql("INSERT INTO #{table} VALUES (1)")
      in_host_with_client(connections: 1) do |db|
        each = -> { [db.value("SELECT t FROM #{table} t"), db.value("SELECT ARRAY[t, t] FROM #{table} t"), db.query("SELECT t, t, '{}'::json FROM #{table} t").rows[0][1]] }
        assert_equal [{ "a" => 1 }, [{ "a" => 1 }] * 2, { "a" => 1 }], each.call
        psql("ALTER TABLE #{table} ADD b int DEFAULT 2")
        both = { "a" => 1, "b" => 2 }
        2.times { assert_equal [both, [both] * 2, both], each.call }
        db.query("ALTER TABLE #{table} RENAME b TO c")
        assert_equal({ "a" => 1, "c" => 2 }, each.call[0])
      end
      in_host_with_client(connections: 1, max_statement_age: 1e-9) do |db|
        names = -> { db.value("SELECT t FROM #{table} t").keys }
        assert_equal [%w[a c], %w[a d]], [names.call, psql("ALTER TABLE #{table} RENAME c TO d") && names.call]
      end
    end
  end

  private

  def readers = 200
end
