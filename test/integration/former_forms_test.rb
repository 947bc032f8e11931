# frozen_string_literal: true

require "bigdecimal"
require "suites"

# Values whose form depends on the type of their column, after another program has changed that.
class FormerFormsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # The former type, the present one, a value whose form is another one for each, and what the column has then.
  MOMENT = Time.new(2024, 1, 1, 3, 0, 0, "+09:00").freeze
  FORMS = [
    ["text", "bytea", "\\x41".b, "\\x41".b], ["bytea", "text", "AB".b, "AB"], ["varchar", "bytea", "\\101".b, "\\101".b], ["bytea", "char(3)", "AB".b, "AB "],
    ["date", "timestamp", MOMENT, Time.utc(2023, 12, 31, 18)], ["timestamp", "date", MOMENT, Date.new(2024)], ["timestamptz", "date", MOMENT, Date.new(2024)],
    ["timestamp", "time", MOMENT, Trunkline::TimeOfDay.new(3 * 3_600_000_000)], ["time", "timestamp", MOMENT, Time.utc(2023, 12, 31, 18)],
    ["date[]", "timestamp[]", [MOMENT], [Time.utc(2023, 12, 31, 18)]], ["int[]", "jsonb", [], []], ["jsonb", "int[]", [], []], ["json", "text[]", ["a"], ["a"]]
  ].freeze
  # The former type and the present one, with a value for each.
  SEVERAL_ROWS = [
    ["real", "double precision", 0.1, 0.1], ["real[]", "double precision[]", [0.1], [0.1]], ["date", "timestamp", Date.new(2024), Time.utc(2024, 1, 1, 3)],
    ["text", "bytea", "\\x41", "\\x41".b], ["int", "int[]", 1, [1]], ["double precision", "numeric", 0.1, BigDecimal("0.12345678901234567890")]
  ].freeze
  HOLDERS = [->(db, &work) { work.call(db) }, ->(db, &work) { db.session(&work) }, ->(db, &work) { db.transaction(&work) }].freeze
  private_constant :MOMENT, :FORMS, :SEVERAL_ROWS, :HOLDERS

  # Where the statement is prepared for the first time on a connection, by several callers at a time, for each execution, and in a transaction.
  def test_nothing_is_stored_in_the_form_for_a_former_type
    FORMS.each do |former, type, value, stored|
      ways_to_store.each do |name, store|
        with_table("v #{former}") do |table|
          in_host_with_client(connections: 1, max_connections: 2) do |db|
            sql = "INSERT INTO #{table} VALUES ($1)"
            2.times { db.query(sql, value) }
            psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER v TYPE #{type} USING NULL")
            store.call(db, sql, value)
            assert_equal [[stored]], db.query("SELECT v FROM #{table}").rows.uniq, "#{former} -> #{type}, #{name}"
          end
        end
      end
    end
  end

  # A text for what was a bytea, which the server would cast from that.
  def test_text_is_not_stored_as_the_text_of_bytes
    with_table("v bytea") do |table|
      in_host_with_client(connections: 1, max_connections: 2) do |db|
        sql = "INSERT INTO #{table} VALUES ($1)"
        2.times { db.query(sql, "abc") }
        psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER v TYPE text USING NULL")
        db.session { |session| session.query(sql, "abc") }
        db.with(prepare: false).query(sql, "abc")
        assert_equal [["abc"]] * 2, db.query("SELECT v FROM #{table}").rows
      end
    end
  end

  # Where nothing is prepared, the client has the types of such values described for each execution.
  def test_nothing_is_stored_in_the_form_for_a_former_type_where_nothing_is_prepared
    FORMS.each do |former, type, value, stored|
      with_table("v #{former}") do |table|
        in_host_with_client(prepare: false) do |db|
          2.times { db.query("INSERT INTO #{table} VALUES ($1)", value) }
          psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER v TYPE #{type} USING NULL")
          db.query("INSERT INTO #{table} VALUES ($1)", value)
          assert_equal [[stored]], db.query("SELECT v FROM #{table}").rows, "#{former} -> #{type}"
        end
      end
    end
  end

  # The statement for several rows names the types of the columns.
  def test_nothing_is_stored_by_a_former_type_by_insert
    HOLDERS.product(SEVERAL_ROWS).each do |holder, (former, type, before, value)|
      with_table("v #{former}") do |table|
        in_host_with_client(connections: 1, max_connections: 2) do |db|
          insert = ->(from, stored) { from.insert(table, [{ v: stored }, { v: stored }]) }
          2.times { insert.call(db, before) }
          psql("TRUNCATE #{table}; ALTER TABLE #{table} ALTER v TYPE #{type} USING NULL")
          2.times { holder.call(db) { |from| insert.call(from, value) } }
          assert_equal [[value]] * 4, db.query("SELECT v FROM #{table}").rows, "#{former} -> #{type}"
        end
      end
    end
  end

  private

  def ways_to_store
    { "on another connection" => ->(db, sql, value) { db.session { |session| session.query(sql, value) } },
      "by several callers" => ->(db, sql, value) { db.session { |session| Array.new(3) { session.async(sql, value) }.each(&:value) } },
      "unprepared" => ->(db, sql, value) { db.with(prepare: false).query(sql, value) },
      "in batches" => ->(db, sql, value) { [true, false].each { |atomic| db.with(prepare: false).batch(atomic: atomic) { |batch| 2.times { batch.query(sql, value) } } } },
      "in a transaction" => lambda do |db, sql, value|
        assert_raises(Trunkline::OutdatedStatement) { db.transaction { |tx| tx.with(prepare: false).query(sql, value) } }.then { |error| assert_predicate error, :retriable? }
        db.transaction { |tx| tx.query(sql, value) }
      end }
  end
end
