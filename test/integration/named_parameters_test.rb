# frozen_string_literal: true

require "suites"

# SQL with :name, and one Hash.
class NamedParametersTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # SQL, and what is made of it: the text for the server and the names; nil: it has no named parameters.
  TEXTS = {
    "SELECT :a" => ["SELECT $1", [:a]],
    "SELECT :b, :a, :b" => ["SELECT $1, $2, $1", %i[b a]],
    "SELECT :a::int, x::text, :b ::int" => ["SELECT $1::int, x::text, $2 ::int", %i[a b]],
    "SELECT ':a', \":b\", $$:c$$, E'\\':d', $q$ :e $q$ -- :f\n, /* :g */ :h" => ["SELECT ':a', \":b\", $$:c$$, E'\\':d', $q$ :e $q$ -- :f\n, /* :g */ $1", [:h]],
    "SELECT f(a := :a, b=>:b)" => ["SELECT f(a := $1, b=>$2)", %i[a b]],
    "SELECT a[1:n], :x" => ["SELECT a[1:n], $1", [:x]],
    "SELECT a[f(1):n], a[i:n], a[b[1]:n], :x" => ["SELECT a[f(1):n], a[i:n], a[b[1]:n], $1", [:x]],
    "SELECT a[1 : :n], ARRAY[:a, :b]" => ["SELECT a[1 : $1], ARRAY[$2, $3]", %i[n a b]],
    "SELECT x WHERE y=:Ünì_1" => ["SELECT x WHERE y=$1", [:Ünì_1]],
    "SELECT :a$b" => ["SELECT $1", [:"a$b"]],
    "SELECT a[:n]" => ["SELECT a[$1]", [:n]],
    "SELECT $1, :a" => nil, "SELECT $1" => nil, "SELECT a::b" => nil, "SELECT a[1:n]" => nil, "SELECT a[1::b]" => nil, "SELECT ':a" => nil, "SELECT : a" => nil,
    "SELECT :1" => nil, "" => nil, ":" => nil, "SELECT 1:" => nil, "SELECT ::a" => nil
  }.freeze
  private_constant :TEXTS

  def test_what_is_made_of_a_text
    assert_equal TEXTS, (TEXTS.keys.to_h { |sql| [sql, Trunkline::Postgres.named_parameters(sql)&.first(2)] })
  end

  def test_each_verb_takes_them
    in_host_with_client do |db|
      2.times do
        assert_equal [[7, "x"]], db.query("SELECT :number::int, :word::text", { number: 7, word: "x" }).rows
        assert_equal({ "n" => 7 }, db.first("SELECT :n::int AS n", { "n" => 7, other: 1 }, deadline: 60))
        assert_equal 8, db.value("SELECT :n::int + :n::int", { n: 4 }, settings: { statement_timeout: 60_000 })
        assert_equal 5, db.async("SELECT :n::int", { n: 5 }).value.value
        assert_equal [3, 4], db.batch { |batch| 2.times { |at| batch.query("SELECT :n::int + 3", { n: at }) } }.map(&:value)
        assert_equal [{ "n" => 1 }, { "n" => 2 }], db.stream("SELECT generate_series(1, :n) AS n", { n: 2 }).to_a
        assert_equal [{ "n" => 1 }], db.transaction { |tx| tx.stream("SELECT :n::int AS n", { n: 1 }).to_a }
      end
    end
  end

  def test_values_have_the_forms_of_the_parameters_types
    in_host_with_client do |db|
      with_table("at timestamptz, doc jsonb, numbers int[]") do |table|
        values = { at: Time.at(1_700_000_000), doc: { "at" => [1, nil] }, numbers: [1, nil] }
        2.times do
          assert_equal values.values, db.query("INSERT INTO #{table} VALUES (:at, :doc, :numbers) RETURNING *", values).rows.first
          assert_equal values[:doc], db.value("SELECT doc FROM #{table} WHERE doc = :doc", values)
        end
      end
    end
  end

  def test_a_hash_is_a_value_where_the_text_has_numbers
    in_host_with_client do |db|
      2.times { assert_equal({ "a" => 1 }, db.value("SELECT $1::jsonb", { a: 1 })) }
    end
  end

  def test_what_is_missing_is_named
    in_host_with_client do |db|
      error = assert_raises(ArgumentError) { db.query("SELECT :first, :second", { first: 1, secnod: 2 }) }
      assert_match(/no value for :second: the Hash has first, secnod/, error.message)
      assert_equal 1, db.value("SELECT 1")
    end
  end

  def test_a_slice_stays_a_slice
    in_host_with_client do |db|
      assert_equal [[2, 3]], db.query("SELECT a[2:n] FROM (SELECT ARRAY[1, 2, 3] AS a, 3 AS n) AS t").first.values
      assert_equal [[1, 2]], db.query("SELECT a[:n] FROM (SELECT ARRAY[1, 2, 3] AS a, 2 AS n) AS t").first.values
      assert_equal [1, 2], db.value("SELECT a[1 : :n] FROM (SELECT ARRAY[1, 2, 3] AS a) AS t", { n: 2 })
      assert_equal "integer[]", db.describe("SELECT a[:n] FROM (SELECT ARRAY[1, 2, 3] AS a, 2 AS n) AS t").columns.first.type
    end
  end

  def test_prepared
    in_host_with_client do |db|
      sum = db.prepare("SELECT :a::int + :b::bigint")
      assert_equal [%w[a integer], %w[b bigint]], (sum.parameters.map { |parameter| [parameter.name, parameter.type] })
      assert_equal 3, sum.value({ a: 1, b: 2 })
    end
  end

  # One statement for all values, which each connection prepares once.
  def test_they_are_remembered_by_their_text
    in_host_with_client(connections: 1, max_connections: 1) do |db|
      5.times { |number| assert_equal number, db.value("SELECT :n::int", { n: number }) }
      assert_equal [["SELECT $1::int"]], db.query("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%::int'").rows
    end
  end
end
