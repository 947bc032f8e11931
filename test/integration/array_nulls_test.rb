# frozen_string_literal: true

require "suites"

# A nil in an Array, for a role whose server would read it as a text.
class ArrayNullsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  def test_a_nil_is_refused_with_the_way_out
    with_role("array_nulls = off") do |uri|
      client(uri) do |db|
        assert_equal [["a"], ["a", nil]], [db.value("SELECT $1::text[]", ["a"]), db.value("SELECT $1::json", ["a", nil])]
        [["text[]", [nil]], ["int[]", [[1], [nil]]]].each do |type, array|
          error = assert_raises(Trunkline::ConfigError) { db.value("SELECT $1::#{type}", array) }
          assert_match(/\Aarray_nulls is off.* \$1 .*ALTER ROLE .* SET array_nulls = on, or options: "-c array_nulls=on"/, error.message)
        end
        assert_raises(Trunkline::ConfigError) { db.transaction { |tx| tx.query("SELECT $1::text[]", [nil]) } }
      end
      client(uri, options: "-c array_nulls=on") { |db| assert_equal [nil], db.value("SELECT $1::text[]", [nil]) }
    end
  end

  def test_rows_of_a_copy_too
    with_role("array_nulls = off") do |uri|
      client(uri) do |db|
        db.session do |session|
          session.query("CREATE TEMP TABLE copied (id int, names text[])")
          2.times do
            error = assert_raises(Trunkline::ConfigError) { session.copy_in("COPY copied FROM STDIN") { |copy| copy << [1, ["a"]] << [nil, ["a", nil]] } }
            assert_match(/the nil in column 2 as the text/, error.message)
          end
          session.copy_in("COPY copied FROM STDIN") { |copy| copy << [nil, ["a"]] << [2, nil] }
          assert_equal [[nil, ["a"]], [2, nil]], session.query("SELECT * FROM copied").rows
        end
      end
    end
  end

  # What a session sets for itself says nothing of others. In a transaction that has failed it is not asked for.
  def test_it_is_looked_up_once
    with_role("array_nulls = on") do |uri|
      client(uri) do |db|
        assert_raises(Trunkline::InFailedSqlTransaction) do
          db.transaction do |tx|
            assert_raises(Trunkline::DivisionByZero) { tx.query("SELECT 1 / 0") }
            tx.query("SELECT $1::text[]", [nil])
          end
        end
        db.session { |session| session.query("SET array_nulls = off") && session.query("SELECT $1::text[]", [nil]) }
        2.times { assert_equal ["a", nil], db.value("SELECT $1::text[]", ["a", nil]) }
        assert_equal(1, db.stats[:statements].sum { |sql, figures| sql.include?("pg_settings") ? figures[:count] : 0 })
      end
    end
  end

  private

  def client(uri, **options, &block) = in_host { Trunkline.postgres(uri, connections: 1, **options, &block) }

  def with_role(setting)
    role = "nulls#{SecureRandom.hex(6)}"
    psql("CREATE ROLE #{role} LOGIN; ALTER ROLE #{role} SET #{setting}")
    yield postgres_server.uri(user: role)
  ensure
    psql("DROP ROLE #{role}")
  end
end
