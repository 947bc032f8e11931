# frozen_string_literal: true

require "test_helper"

module Trunkline
  class MarkedLineTest < TestCase
    def test_positions_that_are_none
      [nil, 0, -1, 10, "8"].each { |position| assert_nil MarkedLine.of("SELECT 1", position) }
      assert_equal "LINE 1: SELECT 1\n                ^", MarkedLine.of("SELECT 1", 9)
    end

    def test_nothing_is_shown_from_the_first_literal_on_where_there_is_a_password
      sql = "CREATE ROLE ada PASSWORD 'hunter2' no"
      assert_equal "LINE 1: CREATE ROLE ada PASSWORD ***\n                    ^", MarkedLine.of(sql, 13)
      assert_equal "LINE 1: CREATE ROLE ada PASSWORD ***\n                                 ^", MarkedLine.of(sql, 26)
      (27..sql.size + 1).each { |position| assert_nil MarkedLine.of(sql, position), position.to_s }
      refute_includes MarkedLine.of("SELECT 'hunter2',\n1", 19).to_s, "***"
      assert_nil MarkedLine.of("SELECT 'hunter2', x#{" " * 500} AS password", 19)
    end

    def test_a_long_line_is_not_looked_at_all_along
      sql = "SELECT #{"'語', " * 200_000}nowhere#{", 1" * 200_000}"
      line, caret = MarkedLine.of(sql, 7 + (5 * 200_000) + 1).lines
      assert_match(/\ALINE 1: \.\.\.['語, ]+nowhere, 1\.\.\.\n\z/, line)
      assert_equal "^", caret.strip
    end

    def test_reports_have_no_password_of_functions_either
      fields = { severity: "ERROR", message: "no", internal_query: "ALTER ROLE ada PASSWORD 'hunter2' x", internal_position: 35, where: "PL/pgSQL: ALTER ROLE ada PASSWORD 'hunter2'" }
      assert_equal "ERROR:  no at character 35\nQUERY:  ALTER ROLE ada PASSWORD ***\nCONTEXT:  PL/pgSQL: ALTER ROLE ada PASSWORD ***\n", ErrorReport.new(fields).to_s
    end

    def test_notices_have_no_context
      assert_equal "NOTICE:  n\nHINT:  h\n", ErrorReport.new({ severity: "NOTICE", message: "n", hint: "h", where: "w" }, context: false).to_s
    end
  end
end
