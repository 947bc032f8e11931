# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "tmpdir"
require_relative "../../rakelib/regression"

# The parts of rake regression that compare, and all of it with a source that has two files.
class RegressionTest < Trunkline::TestCase
  KNOWN = { "digits" => { "files" => "floats others", "statement" => "sqrt", "in" => "floats" },
            "OIDs" => { "files" => "objects", "statement" => "::oid", "in" => "numbers" } }.freeze
  SETUP = "CREATE TABLE points (a int, b text);\nCOPY points FROM stdin;\n1\ta\n2\t\\N\n\\.\n"
  FILE = <<~'SQL'
    SELECT 2 + added();
    SELECT ln(0); -- fails, with a class of another name
    SELECT 'a' || :nothing;
    COPY points TO stdout;
    \c - absent
    SELECT b FROM points WHERE b = 'a';
    INSERT INTO points VALUES (3, 'c') RETURNING b
  SQL
  ADDED = "CREATE FUNCTION added() RETURNS int LANGUAGE sql AS 'SELECT 0'"
  private_constant :KNOWN, :SETUP, :FILE, :ADDED

  def test_answers_that_are_the_same
    assert_nil texts(theirs([["1", nil]], [[1, nil]]), ours([["1", nil]]))
    assert_nil values(theirs([["1"]], [[1]]), ours([[1]]))
    assert_nil values(theirs([["(1,2)"]], [[Differential::Answer::UNKNOWN]]), ours([[:any]]))
    assert_nil values(theirs([["NaN"]], [[Float::NAN]]), ours([[Float::NAN]]))
    assert_nil texts(failed("22012", "DivisionByZero", "division by zero"), failed("22012", "DivisionByZero", "division by zero"))
  end

  def test_answers_that_differ
    assert texts(theirs([["1"]], [[1]]), ours([["2"]]))
    assert texts(theirs([["1"]], [[1]]), ours([["1"], ["1"]])), "a row more"
    assert texts(theirs([["1"]], [[1]]), ours([["1", nil]])), "a column more"
    assert texts(theirs([[nil]], [[nil]]), ours([[""]])), "no value and an empty one"
    assert values(theirs([["1"], ["2"]], [[1], [2]]), ours([[2], [1]])), "another order"
    assert values(theirs([["1"]], [[1]]), ours([["1"]])), "a text for a number"
    assert values(theirs([["0.1"]], [[0.1]]), ours([[0.10000000000000002]]))
  end

  def test_errors_that_differ
    assert texts(theirs([["1"]], [[1]]), failed("22012", "DivisionByZero", "division by zero"))
    assert texts(failed("22012", "DivisionByZero", "division by zero"), ours([["1"]]))
    assert texts(failed("22012", "DivisionByZero", "division by zero"), failed("22012", "DivisionByZero", "division by 0")), "another message"
    assert texts(failed("22012", "DivisionByZero", "a"), failed("22003", "NumericValueOutOfRange", "a")), "another SQLSTATE"
    assert texts(failed("22012", "DivisionByZero", "a"), failed("22012", "DataException", "a")), "another class"
  end

  def test_known_differences_are_known_in_their_files_and_statements_alone
    one, other = [[1.5, "a"]], [[1.500001, "a"]]
    assert_equal "digits", known("floats", "SELECT sqrt(a)", one, other)
    assert_equal "digits", known("others", "SELECT SQRT(a)", one, other)
    assert_nil known("objects", "SELECT sqrt(a)", one, other)
    assert_nil known("floats", "SELECT ln(a)", one, other)
  end

  def test_known_differences_are_known_in_what_they_are_in_alone
    assert_nil known("floats", "SELECT sqrt(a)", [[1.5, "a"]], [[1.6, "a"]])
    assert_nil known("floats", "SELECT sqrt(a)", [[1.5, "a"]], [[1.500001, "b"]])
    assert_nil known("floats", "SELECT sqrt(a)", [[1.5, "a"]], [[1.500001, "a"], [1.5, "a"]])
    assert_equal "OIDs", known("objects", "SELECT 'x'::oid", [[12, "t"]], [[345, "t"]])
    assert_nil known("objects", "SELECT 'x'::oid", [[12, "t"]], [[345, "u"]])
    assert_nil known("objects", "SELECT 'x'::oid", [[12]], [[nil]])
  end

  def test_each_known_difference_has_a_reason_and_says_where
    YAML.safe_load_file(RegressionKnown::PATH).each do |name, entry|
      assert_equal %w[files in reason statement], entry.keys.sort, name
      assert entry.values.all? { |value| value.is_a?(String) && !value.empty? }, name
    end
    error = assert_raises(ArgumentError) { RegressionKnown.new("x" => { "files" => "a", "statement" => ".", "in" => "dates" }) }
    assert_equal 'in is "dates": say anything, floats or numbers', error.message
  end

  def test_a_source_is_run_whole
    with_regression do |regression|
      files = []
      regression.run { |file| files << [file.name, file.statements, file.succeeded] }
      assert_equal [["test_setup", 2, 2], ["points", 6, 4]], files
      assert_equal({ "statements" => 8, "succeeded" => 6, "refused" => 0 }, regression.counts)
      assert_empty regression.wrong.join("\n")
    end
  end

  def test_a_server_that_answers_otherwise_is_reported_for_each_execution_in_a_session_and_in_none
    with_regression("CREATE FUNCTION added() RETURNS int LANGUAGE sql AS 'SELECT 1'") do |regression|
      regression.run(["points"]) { nil }
      numbers = ["", " [execution 2]", " [execution 3]"]
      assert_equal ["[db.query] ", ""].flat_map { |way| numbers.map { |number| "points: #{way}SELECT 2 + added()#{number}" } }, regression.wrong.map { |wrong| wrong.lines.first.chomp }
      assert_equal "points: SELECT 2 + added()\n    the pg gem has [[\"2\"]]\n    Trunkline has [[\"3\"]]", regression.wrong[3]
    end
  end

  def test_a_folder_without_regression_tests
    error = assert_raises(ArgumentError) { Regression.new("/nowhere", trunkline: nil, postgres: nil) }
    assert_equal "/nowhere has no src/test/regress/parallel_schedule", error.message
  end

  private

  # @param sql [String] for Trunkline's server, whose function added is to return something else
  def with_regression(sql = ADDED)
    Dir.mktmpdir do |source|
      write(source, "parallel_schedule" => "# all\ntest: test_setup\ntest: points\n", "sql/test_setup.sql" => SETUP, "sql/points.sql" => FILE)
      with_server(settings: Regression::SETTINGS) do |trunkline|
        with_server(settings: Regression::SETTINGS) do |postgres|
          { trunkline => sql, postgres => ADDED }.each { |server, definition| server.psql(definition) }
          yield Regression.new(source, trunkline: trunkline, postgres: postgres)
        end
      end
    end
  end

  def write(source, files)
    FileUtils.mkdir_p("#{source}/src/test/regress/sql")
    files.each { |name, text| File.write("#{source}/src/test/regress/#{name}", text) }
  end

  def known(file, sql, theirs, ours)
    failures = [theirs, ours].map { |answer| answer if answer.first.is_a?(String) }
    expected, answer = [theirs, ours].zip(failures).map { |rows, failure| Differential::Answer.new(values: failure ? nil : rows, failure: failure) }
    RegressionKnown.new(KNOWN).name_of(RegressionDifference.of_values(file, sql, expected, answer))
  end

  def theirs(texts, values) = Differential::Answer.new(texts: texts, values: values)
  def ours(values) = Differential::Answer.new(values: values)
  def failed(*failure) = Differential::Answer.new(failure: failure)
  def texts(theirs, ours) = RegressionDifference.of_texts("file", "SELECT", theirs, ours)
  def values(theirs, ours) = RegressionDifference.of_values("file", "SELECT", theirs, ours)
end
