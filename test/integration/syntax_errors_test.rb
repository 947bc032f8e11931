# frozen_string_literal: true

require "suites"
require "support/query_messages"
require "support/scripted_server"

# What is no SQL is the server's syntax error, on shared connections too, and what looks like another library's is told how it is written here.
class SyntaxErrorsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Trunkline::QueryMessages

  WRONG = ["SELEC 1", "FROB 1", "SELECT 'x", "SELECT \"x", "SELECT $$x", "SELECT /* x", "(EXPLAIN SELECT 1)", "\u{FEFF}SELECT 1", "EXPLAIN", ")", "42"].freeze
  # SQL, and what is told of it.
  PLACEHOLDERS = {
    "?" => ["WHERE oid = ?", "WHERE oid=?", "WHERE oid=? + 1", "WHERE oid>=?+1", "WHERE oid = ? AND true", "WHERE oid IN (?, ?)", "LIMIT ?", "WHERE oid = ANY(?)",
            "WHERE ? = oid", "WHERE ? + 1 = 2"],
    ":name" => ["WHERE oid = :oid", "WHERE oid=:oid AND true", "WHERE oid IN (:a, :b)"], "%s" => ["WHERE oid = %s", "WHERE oid=%s", "WHERE oid = %(oid)s"],
    "@name" => ["WHERE oid = @nam"], "$name" => ["WHERE oid = $oid"], "{name}" => ["WHERE oid = {oid}"], "\#{name}" => ["WHERE oid = \#{oid}"]
  }.freeze
  private_constant :WRONG, :PLACEHOLDERS

  def test_what_is_no_sql
    Trunkline.postgres(postgres_server.uri) do |db|
      WRONG.each do |sql|
        [-> { db.query(sql) }, -> { db.async(sql).value }, -> { db.batch { |batch| batch.query(sql) } }, -> { db.with(keys: :symbol).first(sql) }].each do |call|
          assert_match(/\A(syntax error|unterminated)/, assert_raises(Trunkline::SyntaxError, sql, &call).message)
        end
      end
      assert_equal 1, db.connection_count
    end
  end

  def test_placeholders_of_other_libraries
    Trunkline.postgres(postgres_server.uri) do |db|
      PLACEHOLDERS.each do |shape, endings|
        endings.each do |ending|
          error = assert_raises(Trunkline::ServerError, ending) { db.query("SELECT 1 FROM pg_class #{ending}", 1) }
          said = shape == ":name" ? "takes its value from one Hash after the SQL, in braces: query(sql, { name: value }); or" : "is no placeholder of PostgreSQL:"
          assert_includes error.message, ": #{shape} #{said} write $1, $2, ... for values, and pass these", ending
          refute_includes error.report, "placeholder"
        end
      end
    end
  end

  def test_parameters_in_the_place_of_names
    Trunkline.postgres(postgres_server.uri) do |db|
      ["SELECT now() - interval $1", "SELECT * FROM $1", "SELECT 1 WHERE 1 IN $1"].each do |sql|
        error = assert_raises(Trunkline::SyntaxError, sql) { db.query(sql, "x") }
        assert_match(/\Asyntax error at or near "\$1": \$1 and so on stand for values alone: .*\$1::interval.*= ANY\(\$1\)/, error.message)
        refute_includes error.report, "stand for"
      end
    end
  end

  def test_other_mistakes_get_no_advice
    Trunkline.postgres(postgres_server.uri) do |db|
      ["SELECT nowhere", "SELECT 1 +", "SELECT 'a' ? 1 FROM", "SELECT a:::b", "SELECT 1::nothing", "SELECT 7 % nowhere"].each do |sql|
        refute_includes assert_raises(Trunkline::ServerError, sql) { db.query(sql) }.message, "placeholder"
      end
    end
  end

  # Of SQL that is newer than this library.
  def test_what_the_server_knows_and_the_lexer_does_not_is_refused
    types = nil
    Trunkline::ScriptedServer.open(->(peer) { types = answers_to_a_description(peer) }) do |server|
      Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d") do |db|
        assert_match(/\Abecause of FROB/, assert_raises(Trunkline::SharedStateError) { db.query("FROB 1") }.message)
      end
      assert eventually { types }
      assert_equal %w[P D S X], types
    end
  end

  def test_without_a_server_it_is_refused
    Trunkline.postgres("postgres://127.0.0.1:1/app") { |db| assert_raises(Trunkline::SharedStateError) { db.query("SELEC 1") } }
  end

  private

  # @return [Array<String>] the types of all messages behind the session's beginning
  def answers_to_a_description(peer)
    peer.startup
    peer << Trunkline::BackendMessages.authentication(0) << Trunkline::BackendMessages.session
    types = []
    types << peer.message.first until types.last == "S"
    peer << parse_complete << parameter_description << no_data << ready
    types << peer.message.first
  end
end
