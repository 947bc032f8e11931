# frozen_string_literal: true

require "test_helper"

module Trunkline
  class Config
    class EncryptionTest < TestCase
      def config(conninfo = nil, env: {}) = Config.new(conninfo, env: env)

      def assert_refused(message, conninfo, **options)
        assert_equal message, assert_raises(ConfigError) { config(conninfo, **options) }.message
      end

      def test_the_defaults
        defaults = config

        assert_equal ["prefer", "postgres", "allow", true, "TLSv1.2", nil, "prefer", nil, "3.0", "3.0"],
                     [defaults.sslmode, defaults.sslnegotiation, defaults.sslcertmode, defaults.sslsni,
                      defaults.ssl_min_protocol_version, defaults.ssl_max_protocol_version, defaults.channel_binding,
                      defaults.require_auth, defaults.min_protocol_version, defaults.max_protocol_version]
      end

      def test_files_lie_in_the_home_directory
        config = config("sslkey=/k", env: { "HOME" => "/home/ann" })

        assert_equal ["/home/ann/.postgresql/postgresql.crt", "/k", "/home/ann/.postgresql/root.crt", "/home/ann/.postgresql/root.crl", nil],
                     [config.sslcert, config.sslkey, config.sslrootcert, config.sslcrl, config.sslcrldir]
        assert_equal "default", config.source(:sslcert)
      end

      def test_the_roots_of_the_system_want_the_servers_name
        assert_equal "verify-full", config("sslrootcert=system").sslmode
        assert_refused "sslmode must be verify-full with sslrootcert=system (PGSSLMODE)", "sslrootcert=system",
                       env: { "PGSSLMODE" => "require" }
      end

      def test_direct_negotiation_has_nothing_to_fall_back_to
        assert_equal "direct", config("sslnegotiation=direct sslmode=require").sslnegotiation
        assert_refused "sslmode must be require, verify-ca or verify-full with sslnegotiation=direct (default)", "sslnegotiation=direct"
      end

      def test_ranges
        assert_equal %w[3.2 3.2], config("min_protocol_version=latest").then { |it| [it.min_protocol_version, it.max_protocol_version] }
        assert_equal "TLSv1.3", config("ssl_max_protocol_version=tlsv1.3").ssl_max_protocol_version
        assert_refused "max_protocol_version is lower than min_protocol_version (connection string)",
                       "min_protocol_version=3.2 max_protocol_version=3.0"
        assert_refused "ssl_max_protocol_version is lower than ssl_min_protocol_version (connection string)",
                       "ssl_max_protocol_version=TLSv1.1"
      end

      def test_methods_of_authentication
        assert_equal %w[scram-sha-256 none], config("require_auth=scram-sha-256,none").require_auth
        assert_equal %w[gss sspi scram-sha-256 oauth none], config("require_auth=!password,!md5").require_auth
        assert_refused "require_auth allows only GSSAPI, SSPI or OAuth, which are not supported (connection string)", "require_auth=gss,sspi"
        assert_refused "require_auth names a method twice (connection string)", "require_auth=md5,md5"
        assert_refused "require_auth either allows methods or, with !, forbids some (connection string)", "require_auth=md5,!none"
        assert_refused "require_auth must be a list of password, md5, gss, sspi, scram-sha-256, oauth, none, each with ! for all " \
                       "but these (connection string)", "require_auth=scram"
      end

      def test_values_that_do_not_exist
        assert_refused "sslmode must be disable or allow or prefer or require or verify-ca or verify-full (connection string)", "sslmode=on"
        assert_refused "sslsni must be 1 or 0 (connection string)", "sslsni=maybe"
      end

      def test_the_passphrase_is_not_shown
        refute_includes config("sslpassword=s3cret").inspect, "s3cret"
      end
    end
  end
end
