# frozen_string_literal: true

require "test_helper"

module Trunkline
  class Config
    class URITest < TestCase
      def assert_parsed(expected, string) = assert_equal(expected.transform_keys(&:to_s), URI.parse(string.b))

      def assert_refused(message, string)
        assert_equal "bad connection URI: #{message}", assert_raises(ConfigError) { URI.parse(string.b) }.message
      end

      def test_what_is_a_uri
        assert URI.match?("postgres://")
        assert URI.match?("postgresql://h/d")
        refute URI.match?("postgresq://h")
        refute URI.match?("host=postgres://")
      end

      def test_all_parts
        assert_parsed({ user: "u", password: "p", host: "h", port: "1", dbname: "d", connect_timeout: "2" },
                      "postgresql://u:p@h:1/d?connect_timeout=2")
      end

      def test_every_part_may_be_missing
        assert_parsed({}, "postgres://")
        assert_parsed({}, "postgres:///")
        assert_parsed({}, "postgres://:@:/?")
        assert_parsed({ host: "h" }, "postgres://h")
        assert_parsed({ port: "1" }, "postgres://:1")
        assert_parsed({ dbname: "d" }, "postgres:///d")
        assert_parsed({ user: "u" }, "postgres://u@")
        assert_parsed({ password: "p", dbname: "d" }, "postgres://:p@/d")
        assert_parsed({ host: "h", user: "u" }, "postgres://h?user=u")
      end

      def test_percent_encoding
        assert_parsed({ user: "a@b", password: "c:/?#é".b, host: "/var/run", dbname: "d d" },
                      "postgres://a%40b:c%3a%2F%3F%23%c3%A9@%2Fvar%2Frun/d%20d")
        assert_parsed({ host: "/tmp", application_name: "a=b&c" }, "postgres:///?host=/tmp&application_name=a%3Db%26c")
        assert_parsed({ user: "u" }, "postgres:///?%75ser=%75")
      end

      def test_spaces
        assert_parsed({ user: "u", host: "h\t", dbname: " d ", application_name: "a\n" },
                      "postgres:// u@h\t /%20d%20 ?application_name= a\n")
        ["postgres://a b", "postgres://?user=a b", "postgres://a , b"].each do |string|
          assert_refused "spaces are written %20", string
        end
      end

      def test_addresses_in_brackets
        assert_parsed({ host: "::1" }, "postgres://[::1]")
        assert_parsed({ user: "u", host: "fe80::1%eth0", port: "1", dbname: "d" }, "postgres://u@[fe80::1%25eth0]:1/d")
      end

      def test_parameters_win_over_the_path
        assert_parsed({ host: "b", dbname: "e" }, "postgres://a/d?host=b&dbname=e")
        assert_parsed({ port: "2" }, "postgres://?port=1&port=2")
        assert_parsed({ user: "" }, "postgres://u@?user=")
        assert_parsed({ port: "1" }, "postgres://?port=1&")
      end

      def test_encryption_as_jdbc_requests_it
        assert_parsed({ sslmode: "require" }, "postgres://?ssl=true")
      end

      def test_bad_percent_encoding
        ["postgres://%", "postgres://a%4", "postgres://%zz@h", "postgres:///d%"].each do |string|
          assert_refused '"%" must be followed by two hexadecimal digits', string
        end
        assert_refused "%00 is not allowed", "postgres://a%00b"
      end

      def test_bad_brackets
        assert_refused "the IPv6 address in brackets is empty", "postgres://[]/d"
        ["postgres://[::1", "postgres://[::1]x"].each do |string|
          assert_refused 'an IPv6 address must stand in "[" and "]" before ":" or "/"', string
        end
      end

      def test_bad_parameters
        ["postgres://?a", "postgres://?&", "postgres://?a=b=c", "postgres://?a=b&&c=d", "postgres://?&a=b"].each do |string|
          assert_refused 'a query parameter is "name=value", with "=" in the value written as %3D', string
        end
      end

      def test_a_password_that_is_not_encoded
        ["postgres://u:p@q@h/d", "postgres://u:1/q@h"].each do |string|
          assert_refused '"@", ":" and "/" in a user name or password are written %40, %3A and %2F', string
        end
      end

      def test_several_hosts
        assert_parsed({ host: "a,b", port: ",", dbname: "d" }, "postgres://a,b/d")
        assert_parsed({ host: "a,b", port: "1,2" }, "postgres://a:1,b:2")
        assert_parsed({ host: "::1,b,", port: ",,3" }, "postgres://[::1],b,:3")
      end
    end
  end
end
