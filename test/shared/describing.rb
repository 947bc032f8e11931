# frozen_string_literal: true

module Shared
  # Statements that the server looks at, and its notices. The test includes a host.
  module Describing
    include Gated

    def test_describe
      in_host_with_client do |db|
        description = db.describe("SELECT 1.5::numeric(10, 2) AS a, $1 || 'x' AS b, '{}'::int[] AS a WHERE $2")
        assert_equal [["text", 25], ["boolean", 16]], (description.parameters.map { |parameter| [parameter.type, parameter.oid] })
        assert_equal [["a", "numeric(10,2)", 1700], ["b", "text", 25], ["a", "integer[]", 1007]],
                     (description.columns.map { |column| [column.name, column.type, column.oid] })
        assert_equal [[], []], db.describe("CREATE TABLE never (id int)").to_a
        assert_raises(Trunkline::UndefinedTable) { db.query("TABLE never") }
        assert_raises(Trunkline::SyntaxError) { db.describe("SELECT , 1") }
        assert_raises(Trunkline::SharedStateError) { db.describe("SET a.b = 1") }
      end
    end

    def test_a_type_is_called_what_it_is_called_now
      in_host_with_client do |db|
        db.session do |session|
          session.query("CREATE TYPE pg_temp.mood AS ENUM ('glad')")
          assert_equal "mood", session.describe("SELECT 'glad'::pg_temp.mood").columns.first.type
          session.query("ALTER TYPE pg_temp.mood RENAME TO temper")
          assert_equal "temper", session.describe("SELECT 'glad'::pg_temp.temper").columns.first.type
        end
      end
    end

    def test_prepare
      in_host_with_client do |db|
        twice = db.prepare("SELECT $1::int * 2 AS twice")
        assert_equal [4, { "twice" => 6 }, [[8]], 10], [twice.value(2), twice.first(3), twice.query(4).rows, twice.async(5, deadline: 60).value.value]
        assert_equal [["integer"], ["twice"]], [twice.parameters.map(&:type), twice.columns.map(&:name)]
        assert_equal (1..20).to_a, (side_by_side(1..20) { |number| twice.value(number) / 2 })
        assert_raises(Trunkline::UndefinedTable) { db.prepare("TABLE not_there") }
        assert_raises(ArgumentError) { twice.value }
        db.transaction { |tx| assert_equal 4, tx.prepare("SELECT 2 + $1::int").value(2) }
      end
    end

    def test_notices_are_reported
      in_host_with_client(connections: 1) do |db|
        told = []
        db.on_notice { |notice| told << notice[:message] }
        assert_silent { db.query("DROP TABLE IF EXISTS none_here") }
        db.value("SELECT 1")
        db.session { |session| session.execute_script("DO $$ BEGIN RAISE WARNING 'careful'; END $$; SELECT 1") }
        assert_raises(Trunkline::RaiseException) do
          db.session { |session| session.query("DO $$ BEGIN RAISE NOTICE 'about to'; RAISE 'no'; END $$") }
        end
        assert_equal ['table "none_here" does not exist, skipping', "careful", "about to"], told
        db.on_notice
        assert_equal 1, db.query("DROP TABLE IF EXISTS none_here").notices.size
        assert_equal 3, told.size
      end
    end

    def test_an_error_of_the_block_that_is_told_goes_to_the_caller
      in_host_with_client(connections: 1) do |db|
        db.on_notice { raise KeyError, "of the block" }
        others = Array.new(3) { |number| later { db.value("SELECT $1::int", number) } }
        assert_raises(KeyError) { db.query("DROP TABLE IF EXISTS none_here") }
        assert_equal [0, 1, 2, 7], [*others.map(&:value), db.value("SELECT 7")]
      end
    end
  end
end
