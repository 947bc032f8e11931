# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  module Postgres
    # Values and names within SQL.
    class EscapingTest < TestCase
      include Escaping

      def test_literals
        { "" => "''", "O'Reilly" => "'O''Reilly'", "a\\b" => " E'a\\\\b'", "'\\" => " E'''\\\\'", "ü\n" => "'ü\n'",
          "caf\xE9".dup.force_encoding("ISO-8859-1") => "'café'" }.each { |string, literal| assert_equal literal, escape_literal(string) }
      end

      def test_names
        { "Users" => '"Users"', 'a"b' => '"a""b"', "a\\b" => '"a\\b"', users: '"users"' }.each { |name, sql| assert_equal sql, escape_identifier(name) }
      end

      def test_what_is_no_text
        %i[escape_literal escape_identifier].each do |escape|
          assert_raises(ArgumentError) { public_send(escape, "a\0b") }
          assert_raises(EncodingError) { public_send(escape, "\xFF") }
          [nil, 1, ["a"]].each { |other| assert_raises(TypeError) { public_send(escape, other) } }
        end
        assert_raises(ArgumentError) { escape_identifier("") }
      end

      STRINGS = ["", "O'Reilly", "\\", "'\\'", "a\\'b", "E'", "$$", "ü\u{1F600}\n", "--", "/*", "\u0001"].freeze
      private_constant :STRINGS

      def test_the_server_reads_them_so
        with_client do |db|
          STRINGS.each { |string| assert_equal string, db.value("SELECT #{db.escape_literal(string)}") }
          STRINGS.drop(1).each { |string| assert_equal [string], db.query("SELECT 1 AS #{db.escape_identifier(string)}").columns }
        end
      end

      def test_pg_writes_them_so
        connection = ::PG.connect(postgres_server.uri)
        STRINGS.each do |string|
          assert_equal connection.escape_literal(string), escape_literal(string)
          assert_equal connection.escape_identifier(string), escape_identifier(string) unless string.empty?
        end
      ensure
        connection&.close
      end
    end
  end
end
