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
  # Right statements in words, of which random ones are made wrong.
  RIGHT = [
    %w[SELECT relname , oid FROM pg_class WHERE relkind = 'r' ORDER BY relname LIMIT 1], %w[SELECT 1 + length ( 'x' ) AS n , 2 :: text], ["SELECT", "'日本語'", "||", "\"name\"", "FROM", "pg_database"],
    %w[WITH a AS ( SELECT 1 AS b ) SELECT b FROM a JOIN pg_class ON oid = b], %w[INSERT INTO pg_temp.nowhere ( a , b ) VALUES ( 1 , 'x' )],
    %w[UPDATE pg_temp.nowhere SET a = CASE WHEN b THEN 1 ELSE 2 END], %w[SELECT 1 ; SELECT nothing ; SELECT 2], %w[SELECT ARRAY [ 1 , 2 ] [ 1 ] , ROW ( 1 , 'a' )], ["SELECT", "E'a\\n'", ",", "$$b$$", ",", "U&'\\0061'"],
    ["SELECT", "date", "'2024-01-01'", "+", "interval", "'1 day'"], %w[DELETE FROM pg_temp.nowhere USING pg_class WHERE oid = 1 RETURNING *], ["SELECT", "'{\"a\": 1}'", "::", "jsonb", "->", "'a'"]
  ].freeze
  # What stands between words: white space of all kinds, and comments.
  SPACES = [*[" "] * 12, "\t", "\t\t ", "\n", "\r\n", "\r", "\n\n\t", "/* ü */", "/* /* 界 */ \n */", "-- '語\n", " " * 30, "\f", "\v"].freeze
  # What comes in: names in any script, and characters that begin or end something.
  ODD = [
    "nowhere", "\"no where\"", "日本", "\"ｆｕｌｌ\"", "e\u0301", "👍🏽", "'", "\"", "$$", "$1", "(", ")", "]", ";", ":", "::", "?", "@", "\\", "'x'::int", "'語'::int", "E'\\u12'", "U&'\\00'", "0x", "1a",
    "1e", "'é'", "\u00a0", "\u3000", "שלום", "한글", "\u200b", "\u200d", "нет", "/*", "--", "#{"x" * 70}", "'#{"語" * 70}'", "FROM", "SELECT", "AS", "int", "no_such ( )", "99999999999999999999::int"
  ].freeze
  private_constant :MISTAKES, :BEGINNINGS, :ENDINGS, :OTHERS, :RIGHT, :SPACES, :ODD

  # @param random [Random]
  # @param count [Integer]
  # @return [Array<String>] statements in which words are missing, doubled, exchanged or odd; a few are right all the same
  def self.random(random, count)
    Array.new(count) do
      words = Array.new(1 + random.rand(3)) { RIGHT.sample(random: random) }.flatten
      (1 + random.rand(3)).times { words = broken(words, random.rand(words.size), random) }
      "#{SPACES.sample(random: random) if random.rand < 0.2 || words.first == "\\"}#{words.flat_map { |word| [word, SPACES.sample(random: random)] }[0...-1].join}"
    end
  end

  def self.broken(words, at, random)
    case random.rand(4)
    when 0 then words[0...at] + words[(at + 1)..] + ["1"]
    when 1 then words[0..at] + words[at..]
    when 2 then words[0...at] + [ODD.sample(random: random)] + words[at..]
    else words[0...at] + [ODD.sample(random: random)] + words[(at + 1)..]
    end
  end
  private_class_method :broken

  # @return [Array<String>] each mistake behind each beginning, with endings in turn
  def self.all
    OTHERS + BEGINNINGS.product(MISTAKES).each_with_index.map { |(beginning, mistake), at| "SELECT #{beginning}#{mistake}#{ENDINGS[at % ENDINGS.size]}" }
  end
end
