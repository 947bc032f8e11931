# frozen_string_literal: true

require "test_helper"

module Trunkline
  class Config
    class ConninfoTest < TestCase
      def assert_parsed(expected, string) = assert_equal(expected, Conninfo.parse(string.b))

      def test_keywords_and_values
        assert_parsed({ "host" => "localhost", "port" => "5432" }, "host=localhost port=5432")
        assert_parsed({ "host" => "h", "user" => "u" }, " \t\nhost = h\v\fuser\n=\r\nu ")
        assert_parsed({}, " \n")
      end

      def test_quotes
        assert_parsed({ "password" => "a b'c\\d", "user" => "u" }, %q(password='a b\'c\\\\d' user=u))
        assert_parsed({ "password" => "", "user" => "u" }, "password='' user=u")
        assert_parsed({ "password" => "a\nb", "user" => "u" }, "password='a\nb'user=u")
        assert_parsed({ "user" => "it's" }, "user=it's")
      end

      def test_backslashes_outside_quotes
        assert_parsed({ "user" => "a b\\c'", "dbname" => "d" }, %q(user=a\ b\\\\c\' dbname=d))
        assert_parsed({ "user" => "a" }, "user=a\\")
        assert_parsed({ "user" => "" }, "user=")
      end

      def test_the_last_of_equal_keywords_counts
        assert_parsed({ "port" => "2" }, "port=1 port=2")
      end

      def test_bytes_stay_as_they_are
        assert_parsed({ "user" => "\xC3\xA9\xFF".b }, "user=\xC3\xA9\xFF")
      end

      # A name alone is a database's to psql, and a host's to others.
      def test_what_is_no_connection_string_at_all
        ["mydb", "localhost:5432/app", "host h", "postgres:/localhost", "hunter2"].each do |string|
          message = assert_raises(ConfigError) { Conninfo.parse(string.b) }.message
          assert_match(/\Abad connection string: it is neither a URI, .* nor keywords, .* a database's name alone is written dbname: "name"/, message)
          refute_includes message, "hunter2"
        end
        { "mysql://root:hunter2@localhost/app" => "mysql://", "trunkline://localhost" => "trunkline://" }.each do |string, scheme|
          message = "bad connection string: it begins with #{scheme}, and URIs of PostgreSQL begin with postgres:// or postgresql://"
          assert_equal message, assert_raises(ConfigError) { Conninfo.parse(string.b) }.message
        end
      end

      def test_bad_syntax
        missing = 'bad connection string: a keyword without "=" after it (values that hold spaces need single quotes)'

        { "host=h user" => "#{missing}, at byte 8", "host h=" => "#{missing}, at byte 1",
          "user='abc" => "bad connection string: a quoted value without its closing quote, at byte 6",
          "user='abc\\'" => "bad connection string: a quoted value without its closing quote, at byte 6" }.each do |string, message|
          assert_equal message, assert_raises(ConfigError) { Conninfo.parse(string.b) }.message
        end
      end
    end
  end
end
