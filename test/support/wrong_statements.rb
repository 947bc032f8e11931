# frozen_string_literal: true

# Statements that a server refuses, with the position that it reports, in many texts.
module WrongStatements
  # Mistakes, with SQL behind them or before them.
  MISTAKES = [
    "no_such_column", "no_such_function(1)", "'x'::int", "1 + 'y'::date", "$$z$$::uuid", "(SELECT a FROM no_such_table)", "missing.name",
    "count(count(1))", "ARRAY[1, 'a'::int]", "1::no_such_type", "CASE WHEN 1 THEN 2 END", "+", "1 * ", ")", "\"Ünï\"", "日本", "E'\\u00zz'"
  ].freeze
  # Texts before a mistake: tabs, all kinds of line ends, wide, full-width, combining and other characters, and many of all these.
  BEGINNINGS = [
    "", "\t\t", "1,\n2,\n", "1,\r\n", "1,\r", "\r\n\r\n\n\r", "'日本語', ", "'ｆｕｌｌ', ", "'e\u0301', ", "'👍🏽', ", "/* ünïcödé */ ", "-- a line\n  ",
    "#{"1, " * 10}\n", "#{"1, " * 15}", "#{"1, " * 17}", "#{"1, " * 40}", "'#{"語" * 40}', ", "'#{"語" * 23}', ", "#{"1, " * 200}\n#{"2, " * 19}\t"
  ].freeze
  ENDINGS = ["", "\n, 2", ", 2#{", 3" * 30}", ", '#{"界" * 50}'", "\r\nFROM x", " AS a\t, 2, 3, 4, 5, 6, 7, 8, 9"].freeze
  # Mistakes whose position is the end, nowhere, or in a function's own statement, or with further fields.
  OTHERS = [
    "SELECT (", "SELEC 1", "  \n  SELEC\n1", "SELECT 1/0", "INSERT INTO no_such_table VALUES (1)", "CREATE TABLE x (a int, a int)", "SELECT 'x",
    "DO $$ BEGIN PERFORM no_such_function(); END $$", "DO $$ BEGIN EXECUTE 'SELECT ''a'', nothing'; END $$", "DO $$ BEGIN\n  no such\nEND $$",
    "DO $$ BEGIN RAISE EXCEPTION 'own' USING DETAIL = E'd\n2', HINT = 'h'; END $$", "SELECT '[1,'::json", "SELECT name FROM pg_clas", "SELECT relnam FROM pg_class",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT nowhere'", "SELECT * FROM pg_class AS a JOIN pg_class AS b ON oid = oid"
  ].freeze
  private_constant :MISTAKES, :BEGINNINGS, :ENDINGS, :OTHERS

  # @return [Array<String>] each mistake behind each beginning, with endings in turn
  def self.all
    OTHERS + BEGINNINGS.product(MISTAKES).each_with_index.map { |(beginning, mistake), at| "SELECT #{beginning}#{mistake}#{ENDINGS[at % ENDINGS.size]}" }
  end
end
