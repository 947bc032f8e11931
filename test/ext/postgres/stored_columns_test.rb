# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class StoredColumnsTest < TestCase
      # What a statement stores into => the query that the server compares with what it was.
      CHECKS = {
        "INSERT INTO t (a, \"B c\") VALUES ($1, $2)" => 'SELECT t1.a, t1."B c" FROM t AS t1',
        "insert into s.t as x (a[1], b.c) values ($1, 2)" => "SELECT t1.a, t1.b FROM s.t AS t1",
        "INSERT INTO t VALUES ($1)" => "SELECT t1.* FROM t AS t1",
        "INSERT INTO t (SELECT $1::int)" => "SELECT t1.* FROM t AS t1",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = $1 WHERE t.c" => "SELECT t1.a, t1.b FROM t AS t1",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2 WHERE t.c < $1" => "SELECT t1.a, t1.b, t1.c FROM t AS t1",
        "UPDATE ONLY (t) SET a = array[1, 2], (b, c[$1]) = ROW(1, 2), d = e IS DISTINCT FROM 1, f = 2 FROM u WHERE g = 1" => "SELECT t1.a, t1.b, t1.c, t1.d, t1.f FROM t AS t1",
        "UPDATE t AS x SET a = coalesce($1, (SELECT b, c FROM u WHERE d)) RETURNING e" => "SELECT t1.a FROM t AS t1",
        "WITH x AS (UPDATE t y SET a = $1 RETURNING *) INSERT INTO u (b) SELECT a FROM x" => "SELECT t1.a, t2.b FROM t AS t1, u AS t2",
        "MERGE INTO t x USING u ON u.a = x.a WHEN MATCHED THEN UPDATE SET b = $1 WHEN NOT MATCHED THEN INSERT (c) VALUES (1)" => "SELECT t1.* FROM t AS t1",
        "/* $1 */ INSERT INTO t (a) VALUES ('$1')" => nil, "INSERT INTO t DEFAULT VALUES" => nil, "DELETE FROM t WHERE a = 1" => nil, "DELETE FROM t" => nil,
        "SELECT a FROM t WHERE b = $1 FOR UPDATE OF t" => nil, "SELECT update, insert FROM t WHERE b = $1" => nil, "EXPLAIN INSERT INTO t VALUES ($1)" => nil
      }.freeze
      # What an UPDATE or DELETE chooses rows by => what stands between SELECT and FROM.
      CHOSEN = {
        "DELETE FROM t WHERE a = $1" => "t1.a", 'DELETE FROM ONLY "t" AS x WHERE x."B c" <= $1 AND a <> $2' => 't1."B c", t1.a',
        "DELETE FROM t y WHERE a = $1 AND b = 2 RETURNING c" => "t1.a, t1.*", "DELETE FROM t WHERE a IN ($1, $2)" => "t1.*", "DELETE FROM t WHERE $1 = a" => "t1.*",
        "DELETE FROM t WHERE a = $1 + b" => "t1.a, t1.*", "DELETE FROM t USING u WHERE u.a = $1 AND u.b = t.b" => "t1.*", "DELETE FROM t WHERE CASE a WHEN $1 THEN true END" => "t1.*",
        "DELETE FROM t WHERE T = $1" => "t1.*", "DELETE FROM t x WHERE x = $1" => "t1.*", "DELETE FROM t x WHERE x.x = $1" => "t1.x",
        "DELETE FROM t WHERE NOT a = $1" => "t1.*", "DELETE FROM t WHERE (a = $1)" => "t1.*", "DELETE FROM t WHERE a BETWEEN $1 AND $2" => "t1.*", "DELETE FROM t WHERE a = ANY ($1)" => "t1.*",
        "UPDATE t SET a = 1 WHERE b = $1" => "t1.a, t1.b", "UPDATE t SET a = $1 WHERE b = 1" => "t1.a", "UPDATE t SET a = CASE WHEN b THEN 1 END, c = $1" => "t1.a, t1.c",
        "UPDATE t SET a = $1 FROM u WHERE u.b = t.b" => "t1.a", "UPDATE t SET a = 1 FROM u WHERE u.b = $1" => "t1.a, t1.*", "UPDATE t SET a = 1 WHERE CURRENT OF b RETURNING $1" => "t1.a",
        "WITH x AS (DELETE FROM t WHERE a = $1 RETURNING b) SELECT b FROM x WHERE c = $2" => "t1.a"
      }.freeze

      # No plan is invalidated when a composite type gets others: what stores into these is parsed each time, or chooses by them.
      OF_FIELDS = [
        "UPDATE t SET a.b = $1", "UPDATE t SET c = 1, a[1].b = $1", "UPDATE t SET (c, a.b) = ($1, 1)", "INSERT INTO t (a.b) VALUES ($1)", "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b.c = $1",
        "MERGE INTO t USING u ON u.a = t.a WHEN MATCHED THEN UPDATE SET b.c = $1", "DELETE FROM t WHERE (a).b = $1", "UPDATE t SET a = 1 WHERE b = $1 AND (t.c).d = $2", "DELETE FROM t WHERE a[1].b = $1"
      ].freeze
      OF_NONE = [
        "UPDATE t SET a = u.b FROM u WHERE u.a = $1", "UPDATE t SET a[u.b] = $1 FROM u", "INSERT INTO s.t (a) VALUES ($1)", "DELETE FROM t WHERE t.a = $1", "UPDATE t SET a.b = 1", "SELECT (a).b FROM t WHERE c = $1"
      ].freeze

      def test_what_is_parsed_for_each_execution
        assert_empty(OF_FIELDS.select { |sql| Statement.new(sql, 0).kept? })
        assert_empty(OF_NONE.reject { |sql| Statement.new(sql, 0).kept? })
        refute_predicate Statement.new("SELECT 'now'::timestamp", 0), :kept?
      end

      def test_the_columns_that_a_statement_chooses_rows_by
        CHOSEN.each { |sql, columns| assert_equal("SELECT #{columns} FROM #{sql.include?("ONLY") ? '"t"' : "t"} AS t1", Statement.new(sql, 0).column_check, sql) }
      end

      def test_the_columns_that_a_statement_stores_into
        CHECKS.each do |sql, check|
          check.nil? ? assert_nil(Statement.new(sql, 0).column_check, sql) : assert_equal(check, Statement.new(sql, 0).column_check, sql)
        end
      end
    end
  end
end
