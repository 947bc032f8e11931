# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  class Config
    class OptionsTest < TestCase
      def refusal(name, value) = assert_raises(ConfigError, name) { Options.check(name, value, "here") }.message

      def test_what_is_refused_is_named_with_what_it_needs
        assert_equal "krbsrvname is refused: it needs GSSAPI, which is not supported (here)", refusal("krbsrvname", "postgres")
        assert_equal "replication is refused: it needs the replication protocol, which is not supported (here)",
                     refusal("replication", "database")
        assert_equal "gssencmode is refused: it needs GSSAPI, which is not supported (here)", refusal("gssencmode", "require")
        assert_equal "oauth_issuer is refused: it needs OAuth, which is not supported (here)", refusal("oauth_issuer", "x")
        [["krbsrvname", ""], %w[gssencmode prefer], %w[gssencmode disable], %w[gssdelegation 0]].each do |name, value|
          assert_nil Options.check(name, value, "here")
        end
      end

      def test_misspelt_names
        assert_equal 'unknown connection option "prot", did you mean port? (here)', refusal("prot", "1")
        assert_equal 'unknown connection option "database", did you mean dbname? (here)', refusal("database", "d")
        assert_equal 'unknown connection option "xyzzy" (here)', refusal("xyzzy", "1")
        assert_equal "unknown connection option \"#{"z" * 40}\"... (here)", refusal("z" * 1_000_000, "1")
        assert_equal "unknown connection option #{"\uFFFD".inspect} (here)", refusal("\xFF".b, "1")
      end

      # The word itself may be the rest of a password.
      def test_what_is_no_option_of_a_connection_string_is_reported
        { "pool" => "use connections: (that queries share) and max_connections: (in all), beside the connection string", "connect_timout" => ", did you mean connect_timeout?",
          "connections" => ": it is a keyword of Trunkline.postgres, beside the connection string", "max_wait" => ": it is a keyword of Trunkline.postgres",
          "server" => ", did you mean host?" }.each do |name, told|
          message = assert_raises(ConfigError, name) { Config.new("postgres://localhost/app?#{name}=5") }.message
          assert_match(/\Aunknown connection option\b.*#{Regexp.escape(told)}.* \(connection string\)\z/, message)
          refute_includes message, "\"#{name}\""
        end
      end

      def test_every_option_of_libpq_is_known
        ::PG::Connection.conninfo_parse("").each do |option|
          Options.check(option[:keyword], "x", "here")
        rescue ConfigError => error
          refute_includes error.message, "unknown"
        end
      end
    end
  end
end
