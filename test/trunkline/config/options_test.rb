# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  class Config
    class OptionsTest < TestCase
      def refusal(name, value) = assert_raises(ConfigError, name) { Options.check(name, value, "here") }.message

      def test_values_that_ask_for_nothing_special
        { "sslmode" => %w[disable allow prefer], "gssencmode" => %w[disable prefer], "client_encoding" => %w[UTF8 utf-8 UNICODE],
          "channel_binding" => %w[disable prefer], "target_session_attrs" => ["any"], "load_balance_hosts" => ["disable"],
          "passfile" => [""] }.each do |name, values|
          values.each { |value| assert_nil Options.check(name, value, "here") }
        end
      end

      def test_encryption_is_refused_not_ignored
        %w[require verify-ca verify-full].each do |mode|
          assert_equal "sslmode=#{mode} is refused: it needs encryption (TLS), which is not supported yet; " \
                       "what works is sslmode=disable or allow or prefer (here)", refusal("sslmode", mode)
        end
      end

      def test_refusals_name_the_option_and_the_need_but_no_value
        assert_equal "passfile is refused: it needs a password file, which is not supported yet (here)", refusal("passfile", "x")
        assert_equal "service is refused: it needs a service file, which is not supported yet (here)", refusal("service", "x")
        assert_equal "options is refused: it is not supported yet (here)", refusal("options", "-c x=y")
        refute_includes refusal("sslpassword", "s3cret"), "s3cret"
      end

      def test_misspelt_names
        assert_equal 'unknown connection option "prot", did you mean port? (here)', refusal("prot", "1")
        assert_equal 'unknown connection option "database", did you mean dbname? (here)', refusal("database", "d")
        assert_equal 'unknown connection option "xyzzy" (here)', refusal("xyzzy", "1")
        assert_equal "unknown connection option \"\uFFFD\" (here)", refusal("\xFF".b, "1")
      end

      def test_every_option_of_libpq_is_known
        PG::Connection.conninfo_parse("").each do |option|
          Options.check(option[:keyword], "x", "here")
        rescue ConfigError => error
          refute_includes error.message, "unknown"
        end
      end
    end
  end
end
