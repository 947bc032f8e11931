# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class ComparedColumnsTest < TestCase
      # A SELECT => the query that the server compares with what it was.
      CHECKS = {
        "SELECT a FROM t WHERE b = $1" => "SELECT b FROM t",
        'SELECT "t"."a" FROM s."t" WHERE "t"."B" >= $1 AND t.c <> $2 LIMIT $3' => 'SELECT "t"."B", t.c FROM s."t"',
        "SELECT count(*) FROM t x LEFT JOIN u ON x.a = u.a WHERE (x.b BETWEEN $1 AND $2 OR NOT u.c IN ($3, $4)) AND u.d = ANY ($5) ORDER BY 1" => "SELECT x.b, u.c, u.d FROM t x LEFT JOIN u ON x.a = u.a",
        "SELECT a FROM t WHERE b IS NOT DISTINCT FROM $1 FOR UPDATE OF t" => "SELECT b FROM t",
        "SELECT a FROM t WHERE c IN (SELECT d FROM u WHERE e = $1) AND EXISTS (VALUES (f = $2)) AND g = $3" => "SELECT g FROM t",
        "SELECT a IS DISTINCT FROM b FROM (SELECT 1 AS a, 2 AS b) s WHERE a = $1" => "SELECT a FROM (SELECT 1 AS a, 2 AS b) s",
        "SELECT t.* FROM t, u WHERE t.a = $1 AND u.b = $2" => "SELECT u.b FROM t, u",
        "SELECT * FROM t JOIN u USING (a) WHERE u.a = $1" => "SELECT u.a FROM t JOIN u USING (a)",
        "SELECT DISTINCT a, b AS c, (SELECT d) FROM t WHERE a = $1 AND b = $2 AND d = $3" => "SELECT b, d FROM t",
        "SELECT a FROM t -- x\nWHERE/* y */b /* z */ = $1 UNION SELECT c FROM u WHERE d = $2" => "SELECT b FROM t"
      }.freeze
      # No column, one that the result has, or one by which no parameter's type is determined.
      OF_NONE = [
        "SELECT a FROM t", "SELECT * FROM t WHERE a = $1", "SELECT b, a FROM t WHERE a = $1", "SELECT t.a FROM t WHERE a = $1", 'SELECT "t".* FROM "t" WHERE "t"."a" = $1 LIMIT $2',
        "SELECT a FROM t WHERE b = $1::int", "SELECT a FROM t WHERE b = $1 + 1", "SELECT a FROM t WHERE lower(b) = $1", "SELECT a FROM t WHERE b = 1 AND $1", "SELECT a FROM t WHERE s.t.b = $1",
        "SELECT a FROM f($1) WHERE b = $2", "SELECT a FROM t JOIN u ON u.b = $1 WHERE u.c = $2", "SELECT b = $1 FROM t", "SELECT a FROM t GROUP BY a HAVING b = $1", "SELECT $1", "WITH x AS (SELECT 1) SELECT a FROM t WHERE b = $1",
        "SELECT a FROM t WHERE CASE WHEN b = $1 THEN true END", "SELECT a FROM t WHERE f(b = $1, 1)", "SELECT a FROM t WHERE b = ANY (SELECT c FROM u WHERE d = $1)", "VALUES ($1)", "INSERT INTO t VALUES ($1)", "SELECT a FROM t WHERE 'x"
      ].freeze

      def test_the_columns_that_are_compared
        CHECKS.each { |sql, check| assert_equal(check, Statement.new(sql, 0).compared_columns, sql) }
        OF_NONE.each { |sql| assert_nil(Statement.new(sql, 0).compared_columns, sql) }
      end

      # As many as there are, each once.
      def test_of_many_columns_each_is_there
        names = Array.new(40) { |number| "c#{number}" }
        conditions = [*names, *names.first(10)].each_with_index.map { |name, at| "#{name} = $#{at + 1}" }
        assert_equal "SELECT #{names.join(", ")} FROM t", Statement.new("SELECT a FROM t WHERE #{conditions.join(" AND ")}", 0).compared_columns
        pairs = Array.new(200) { |at| "(t.b = $#{(2 * at) + 1} AND c = $#{(2 * at) + 2})" }
        assert_equal "SELECT t.b, c FROM t", Statement.new("SELECT a FROM t WHERE #{pairs.join(" OR ")}", 0).compared_columns
        assert_equal "SELECT c16 FROM t", Statement.new("SELECT #{names.join(", ")} FROM t WHERE #{conditions.first(17).join(" AND ")}", 0).compared_columns, "a check more"
      end

      def test_a_column_check_needs_known_types
        assert_nil Statement.new(CHECKS.keys.first, 0).column_check
      end
    end
  end
end
