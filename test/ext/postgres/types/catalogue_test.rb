# frozen_string_literal: true

require "test_helper"

module Trunkline
  class CatalogueTest < TestCase
    def test_types_and_their_arrays
      assert_equal [23, false, "integer", 1007], Postgres.builtin_type(23)
      assert_equal [23, true, "integer", 1007], Postgres.builtin_type(1007)
      assert_equal [3802, true, "jsonb", 3807], Postgres.builtin_type(3807)
      assert_equal [705, false, "unknown", 0], Postgres.builtin_type(705)
    end

    def test_no_type
      [0, 1, 600, 1017, 3808, 16_384, 4_294_967_295].each { |oid| assert_nil Postgres.builtin_type(oid) }
    end

    def test_agrees_with_the_server
      rows = postgres_server.psql("SELECT oid, typarray FROM pg_type WHERE oid < 10000 ORDER BY oid").lines
      servers = rows.to_h { |row| row.scan(/\d+/).map(&:to_i) }
      builtin = (0..4000).filter_map { |oid| Postgres.builtin_type(oid) }.uniq(&:first)
      assert_equal builtin.to_h { |oid, _, _, array_oid| [oid, array_oid] }, servers.slice(*builtin.map(&:first))
    end
  end
end
