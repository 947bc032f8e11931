# frozen_string_literal: true

require "test_helper"

module Trunkline
  class Config
    class EnvironmentTest < TestCase
      def test_every_variable_becomes_an_option_that_knows_it
        env = { "PGHOST" => "h", "PGHOSTADDR" => "1.1.1.1", "PGPORT" => "1", "PGUSER" => "u", "PGPASSWORD" => "p",
                "PGDATABASE" => "d", "PGAPPNAME" => "a", "PGCONNECT_TIMEOUT" => "2" }
        config = Config.new(env: env)

        assert_equal ["h", "1.1.1.1", 1, "u", "p", "d", "a", 2.0],
                     [config.host, config.hostaddr, config.port, config.user, config.password, config.dbname,
                      config.application_name, config.connect_timeout]
        assert_equal env.keys, %i[host hostaddr port user password dbname application_name connect_timeout].map { |it| config.source(it) }
      end

      def test_a_guarantee_requested_by_a_variable_is_not_ignored
        config = Config.new(env: { "PGSSLMODE" => "require" })

        assert_equal %w[require PGSSLMODE], [config.sslmode, config.source(:sslmode)]
      end

      def test_what_wins_over_a_variable_decides
        assert_equal "h", Config.new("sslmode=disable", env: { "PGHOST" => "h", "PGSSLMODE" => "require" }).host
      end

      def test_an_old_way_to_request_encryption
        assert_equal({ "sslmode" => ["require", "PGREQUIRESSL"] }, Environment.read({ "PGREQUIRESSL" => "1" }))
        assert_equal({ "sslmode" => ["disable", "PGSSLMODE"] }, Environment.read({ "PGREQUIRESSL" => "1", "PGSSLMODE" => "disable" }))
        assert_empty Environment.read({ "PGREQUIRESSL" => "0" })
      end

      def test_parameters_of_the_session
        config = Config.new("options='-c geqo=off'", env: { "PGTZ" => "UTC", "PGDATESTYLE" => "iso,DMY", "PGGEQO" => "off", "PGAPPNAME" => "a" })

        assert_equal({ "options" => "-c geqo=off", "application_name" => "a", "TimeZone" => "UTC", "DateStyle" => "ISO, DMY",
                       "geqo" => "off" }, config.session)
        assert_equal %w[PGTZ PGDATESTYLE PGGEQO PGAPPNAME], %w[TimeZone DateStyle geqo application_name].map { |name| config.source(name) }
        assert_equal %w[application_name], Config.new(env: { "PGTZ" => "default", "PGDATESTYLE" => "" }).session.keys
        assert_equal "ISO, YMD", Config.new(env: { "PGDATESTYLE" => "YMD" }).session["DateStyle"]
      end

      def test_a_date_style_that_cannot_be_read
        error = assert_raises(ConfigError) { Config.new(env: { "PGDATESTYLE" => "German, DMY" }) }

        assert_equal "DateStyle must be ISO: that is how dates are read (PGDATESTYLE)", error.message
      end

      def test_other_variables_are_left_alone
        assert_empty Environment.read({ "PGKRBSRVNAME" => "x", "PATH" => "/bin", "PGDATA" => "/y" })
      end
    end
  end
end
