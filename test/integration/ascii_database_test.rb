# frozen_string_literal: true

require "suites"
require "stringio"

# A database in SQL_ASCII, which keeps bytes that are not UTF-8: they are refused as text, with the way out.
class AsciiDatabaseTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  BYTES = "caf\xE9\\".b
  private_constant :BYTES

  def test_values
    with_ascii do |db|
      [-> { db.query("SELECT name FROM kept") }, -> { db.query("SELECT pg_catalog.array_agg(name) FROM kept") }, -> { db.stream("SELECT name FROM kept").to_a },
       -> { db.copy_out("COPY kept TO STDOUT", StringIO.new) }, -> { db.transaction { |tx| tx.value("SELECT name FROM kept") } },
       -> { db.async("SELECT name FROM kept").value }].each do |call|
        error = assert_raises(Trunkline::CharacterNotInRepertoire, &call)
        assert_match(/database is in SQL_ASCII.* convert_to\(column, 'SQL_ASCII'\) reads them/, error.hint)
      end
    end
  end

  def test_the_ways_out
    with_ascii do |db|
      read = db.value("SELECT convert_to(name, 'SQL_ASCII') FROM kept")
      assert_equal [BYTES, Encoding::BINARY], [read, read.encoding]
      latin = "convert_from(convert(convert_to(name, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'UTF8')"
      assert_equal "café\\", db.value("SELECT #{latin} FROM kept")
      assert_equal "café\\", db.value("UPDATE kept SET name = #{latin} RETURNING name")
      assert_equal "é", db.value("SELECT $1::text", "é".encode("ISO-8859-1"))
    end
  end

  def test_parameters
    with_ascii do |db|
      ["caf\xE9", BYTES].each { |bytes| assert_match(/\$1 is not valid/, assert_raises(EncodingError) { db.query("SELECT $1::text", bytes) }.message) }
      assert_match(/not valid UTF-8/, assert_raises(EncodingError) { db.query("SELECT 'caf\xE9'") }.message)
    end
  end

  # There the bytes of a value are always UTF-8, and the same SQLSTATE says something else.
  def test_other_databases_have_no_such_hint
    with_client { |db| assert_nil assert_raises(Trunkline::CharacterNotInRepertoire) { db.query("SELECT convert_from('\\xff', 'UTF8')") }.hint }
  end

  private

  def with_ascii
    name = "ascii#{SecureRandom.hex(6)}"
    postgres_server.psql("CREATE DATABASE #{name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    in_host do
      Trunkline.postgres(postgres_server.uri(dbname: name), connections: 1) do |db|
        db.query("CREATE TABLE kept (name text)")
        db.query("INSERT INTO kept VALUES (convert_from($1, 'SQL_ASCII'))", BYTES)
        yield db
      end
    end
  ensure
    postgres_server.drop_database(name)
  end
end
