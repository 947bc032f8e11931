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
        "UPDATE ONLY (t) SET a = array[1, 2], (b, c[$1]) = ROW(1, 2), d = e IS DISTINCT FROM 1, f = 2 FROM u WHERE g = 1" => "SELECT t1.a, t1.b, t1.c, t1.d, t1.f FROM t AS t1",
        "UPDATE t AS x SET a = coalesce($1, (SELECT b, c FROM u WHERE d)) RETURNING e" => "SELECT t1.a FROM t AS t1",
        "WITH x AS (UPDATE t y SET a = $1 RETURNING *) INSERT INTO u (b) SELECT a FROM x" => "SELECT t1.a, t2.b FROM t AS t1, u AS t2",
        "MERGE INTO t x USING u ON u.a = x.a WHEN MATCHED THEN UPDATE SET b = $1 WHEN NOT MATCHED THEN INSERT (c) VALUES (1)" => "SELECT t1.b, t1.c FROM t AS t1",
        "/* $1 */ INSERT INTO t (a) VALUES ('$1')" => nil, "INSERT INTO t DEFAULT VALUES" => nil, "DELETE FROM t WHERE a = $1" => nil,
        "SELECT a FROM t WHERE b = $1 FOR UPDATE OF t" => nil, "SELECT update, insert FROM t WHERE b = $1" => nil, "EXPLAIN INSERT INTO t VALUES ($1)" => nil
      }.freeze

      def test_the_columns_that_a_statement_stores_into
        CHECKS.each do |sql, check|
          check.nil? ? assert_nil(Statement.new(sql, 0).column_check, sql) : assert_equal(check, Statement.new(sql, 0).column_check, sql)
        end
      end
    end
  end
end
