# frozen_string_literal: true

require "open3"
require "suites"
require "support/wrong_statements"

# Errors as psql shows them: they are compared with psql's, and with libpq's own text through the pg gem.
class ErrorReportsTest < Trunkline::TestCase
  include DatabaseHelpers

  # Ends what psql writes about a statement.
  END_OF_REPORT = "--end--\n"
  private_constant :END_OF_REPORT

  def test_random_wrong_statements_are_reported_as_psql_reports_them
    statements = WrongStatements.random(Random.new(Minitest.seed), Integer(ENV.fetch("WRONG_STATEMENTS", "400")))
    theirs = Thread.new { statements.each_slice(200).flat_map { |slice| psqls(slice) } }.value
    Trunkline.postgres(postgres_server.uri) do |db|
      reports = db.session { |session| statements.zip(theirs).map { |sql, expected| [sql, expected, ours { session.execute_script(sql) }.to_s] } }
      reports.each { |sql, expected, actual| assert expected == actual, "#{sql.inspect}\n#{expected}\n#{actual}" }
      assert_operator reports.count { |_, report,| report.include?("LINE ") }, :>, statements.size / 2
    end
  end

  def test_wrong_statements_are_reported_as_libpq_reports_them
    with_both do |db, pg|
      reports = WrongStatements.all.map { |sql| [sql, libpqs(pg) { pg.exec_params(sql, []) }, ours { db.session { |session| session.query(sql) } }] }
      reports.each { |sql, expected, actual| assert expected == actual, "#{sql.inspect}\n#{expected}\n#{actual}" }
      assert_operator reports.count { |_, report| report&.include?("LINE ") }, :>, 300
    end
  end

  def test_a_script_is_reported_by_its_line
    script = "SELECT 1;\r\nCREATE TEMP TABLE t (a int);\n\n\tINSERT INTO t (b) VALUES ('日本', 2);\nSELECT 2"
    with_both { |db, pg| assert_equal(libpqs(pg) { pg.exec(script) }, ours { db.execute_script(script) }) }
  end

  def test_a_value_that_a_function_fails_with
    with_both do |db, pg|
      sql = "SELECT $1::text::int"
      assert_equal(libpqs(pg) { pg.exec_params(sql, ["one"]) }, ours { db.query(sql, "one") })
      2.times { assert_nil assert_raises(Trunkline::InvalidTextRepresentation) { db.query(sql, "one") }.marked_line }
    end
  end

  def test_what_ruby_shows
    with_both do |db, _|
      error = assert_raises(Trunkline::UndefinedColumn) { db.query("SELECT oid,\n  relnam FROM pg_class") }
      assert_match(/\Acolumn "relnam" does not exist \(SQLSTATE 42703; server .*; SQL: SELECT oid, relnam FROM pg_class\)\z/, error.message)
      lines = error.detailed_message.lines(chomp: true)
      assert_match(/\A#{Regexp.escape(error.message)}/, lines.first)
      assert_equal ["LINE 2:   relnam FROM pg_class", "          ^"], lines[1, 2]
      assert_match(/\AHINT:  Perhaps you meant/, lines[3])
      assert_includes error.full_message(highlight: false), lines[1..].join("\n")
    end
  end

  def test_all_futures_and_batches_tell_it_too
    with_both do |db, _|
      [-> { db.async("SELECT nowhere").value }, -> { db.batch { |batch| batch.query("SELECT nowhere") } }, -> { db.stream("SELECT nowhere") { flunk } },
       -> { db.copy_out("COPY (SELECT nowhere) TO STDOUT") { flunk } }, -> { db.with(settings: { "work_mem" => "1MB" }).query("SELECT nowhere") }].each do |call|
        assert_match(/^LINE 1: .*nowhere.*\n +\^$/, assert_raises(Trunkline::UndefinedColumn, &call).detailed_message)
      end
    end
  end

  private

  def with_both
    pg = PG.connect(postgres_server.uri)
    Trunkline.postgres(postgres_server.uri) { |db| yield db, pg }
  ensure
    pg&.close
  end

  # @return [Array<String>] what psql writes about each; nothing about one without a mistake
  def psqls(statements)
    commands = statements.flat_map { |sql| ["-c", sql, "-c", "\\warn #{END_OF_REPORT.chomp}"] }
    environment = { "PGCLIENTENCODING" => "UTF8", "LC_ALL" => "C.UTF-8", "PGOPTIONS" => "-c client_min_messages=error" }
    errors = Open3.popen3(environment, Trunkline::Bench::PostgresBinaries.path("psql"), "-Xqt", "-o", File::NULL, "-d", postgres_server.uri, *commands) { |_, _, err,| err.read }
    errors.force_encoding(Encoding::UTF_8).split(END_OF_REPORT, -1)[0...-1]
  end

  def libpqs(connection)
    yield
    nil
  rescue PG::Error => error
    connection.exec("ROLLBACK") unless connection.transaction_status.zero?
    error.message
  end

  def ours
    yield
    nil
  rescue Trunkline::ServerError => error
    error.report
  end
end
