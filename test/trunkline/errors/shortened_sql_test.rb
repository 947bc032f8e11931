# frozen_string_literal: true

require "test_helper"

module Trunkline
  class ShortenedSQLTest < TestCase
    def test_white_space_becomes_one_line
      assert_equal "SELECT 1 FROM t", ShortenedSQL.call("  SELECT\t1\r\n\n  FROM\u00A0t;".delete(";"))
    end

    def test_it_is_cut_at_its_limit
      assert_equal "x" * 200, ShortenedSQL.call("x" * 200)
      assert_equal "#{"x" * 199}…", ShortenedSQL.call("x" * 201)
      assert_equal "#{"é" * 199}…", ShortenedSQL.call("é" * 100_000)
    end

    def test_what_follows_much_white_space_is_marked_as_cut
      assert_equal "SELECT…", ShortenedSQL.call("SELECT#{" " * 10_000}1")
    end

    def test_bytes_that_are_no_text_are_replaced
      shortened = ShortenedSQL.call("SELECT '\xFF\0'".b)

      assert_predicate shortened, :valid_encoding?
      assert_equal "SELECT '\uFFFD '", shortened
    end

    def test_nothing_is_shown_behind_the_first_literal_where_there_is_a_password
      ["ALTER ROLE a PASSWORD's3cret' VALID", "ALTER ROLE a password\n E's3\\'cret'", "ALTER ROLE a PASSWORD $q$s3$cret$q$; x",
       "ALTER ROLE a PASSWORD/**/'s3cret'", "ALTER ROLE a PASSWORD --'\n 's3cret'", "ALTER ROLE a \"password\" 's3cret'", "ALTER ROLE a PASSWORD U&'s3cret'",
       "ALTER ROLE a PASSWORD 's3' \n 'cret'", "CREATE SUBSCRIPTION s CONNECTION 'host=h password=s3cret'", "SELECT * FROM dblink('host=h password=s3cret', 'x')",
       "SELECT dblink_connect('postgres://u:s3cret@h/d')", "CREATE USER MAPPING FOR u SERVER s OPTIONS (user 'u', password 's3cret')",
       "UPDATE users SET name = 'a', password = 's3cret'", "ALTER ROLE a PASSWORD '#{"s3cret" * 200}'"].each do |sql|
        shown = ShortenedSQL.call(sql)
        refute_match(/s3|cret/, shown)
        assert_includes shown, "***"
      end
      assert_equal "ALTER ROLE a PASSWORD ***", ShortenedSQL.call("ALTER ROLE a PASSWORD 's3''cret' VALID")
    end

    def test_a_column_named_password_stays
      assert_equal "CREATE TABLE t (password text)", ShortenedSQL.call("CREATE TABLE t (password text)")
      assert_equal "SELECT password FROM t WHERE id = $1", ShortenedSQL.call("SELECT password FROM t WHERE id = $1")
    end
  end
end
