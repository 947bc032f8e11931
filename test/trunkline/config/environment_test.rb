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

      def test_a_guarantee_asked_for_by_a_variable_is_not_ignored
        error = assert_raises(ConfigError) { Config.new(env: { "PGSSLMODE" => "require" }) }

        assert_includes error.message, "sslmode is refused"
        assert_includes error.message, "(PGSSLMODE)"
        assert_raises(ConfigError) { Config.new(env: { "PGSERVICE" => "s" }) }
      end

      def test_what_wins_over_a_variable_decides
        assert_equal "h", Config.new("sslmode=disable", env: { "PGHOST" => "h", "PGSSLMODE" => "require" }).host
      end

      def test_other_variables_are_left_alone
        assert_empty Environment.read({ "PGKRBSRVNAME" => "x", "PATH" => "/bin", "PGDATA" => "/y" })
      end
    end
  end
end
