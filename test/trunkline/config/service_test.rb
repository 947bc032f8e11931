# frozen_string_literal: true

require "test_helper"
require "tmpdir"

module Trunkline
  class Config
    class ServiceTest < TestCase
      def setup
        @folder = Dir.mktmpdir
        @own = "#{@folder}/.pg_service.conf"
        @system = "#{@folder}/pg_service.conf"
        @env = { "HOME" => @folder, "PGSYSCONFDIR" => @folder }
      end

      def teardown = FileUtils.remove_entry(@folder)

      def config(conninfo = "service=app", env: {}, **keywords) = Config.new(conninfo, env: @env.merge(env), **keywords)

      def assert_refused(message, text, ...)
        File.write(@own, text)
        assert_equal message, assert_raises(ConfigError) { config(...) }.message
      end

      def test_a_section_of_the_users_file
        File.write(@own, "# services\n[other]\nhost=x\n\n  [app]  \n host=db \nport=1\nhost=late\n#user=x\n[app]\nport=2\n")
        found = config

        assert_equal ["db", 1], [found.host, found.port]
        assert_equal "service app in #{@own}", found.source(:host)
      end

      def test_the_string_wins_over_the_service_over_the_environment
        File.write(@own, "[app]\nhost=service\nport=1\nuser=service\ndbname=\n")
        found = config("service=app host=string", env: { "PGPORT" => "2", "PGAPPNAME" => "env", "PGDATABASE" => "env" }, user: "keyword")

        assert_equal ["string", 1, "keyword", "keyword", "env"],
                     [found.host, found.port, found.user, found.dbname, found.application_name]
      end

      def test_it_is_named_anywhere
        File.write(@own, "[app]\nhost=db\n[other]\nhost=other\n")

        assert_equal %w[db db other], [config("", service: "app"), config("", env: { "PGSERVICE" => "app" }),
                                       config("postgres://?service=other", env: { "PGSERVICE" => "app" })].map(&:host)
      end

      def test_the_files
        File.write(@own, "[own]\nhost=own\n")
        File.write(@system, "[own]\nhost=system\n[common]\nhost=common\n")
        File.write("#{@folder}/given", "[own]\nhost=given\n")
        given = { "PGSERVICEFILE" => "#{@folder}/given" }

        assert_equal %w[own common given given common],
                     [config("service=own"), config("service=common"), config("service=own", env: given),
                      config("service=own servicefile=#{@folder}/given"), config("service=common", env: given)].map(&:host)
      end

      def test_a_service_that_is_not_defined
        assert_refused "service \"app\" is not defined in #{@own}", "[application]\nhost=db"
        File.delete(@own)
        assert_equal 'service "app" is not defined in any file', assert_raises(ConfigError) { config }.message
        assert_equal "service file /no/file cannot be read: no such file or directory",
                     assert_raises(ConfigError) { config(env: { "PGSERVICEFILE" => "/no/file" }) }.message
      end

      def test_bad_lines
        assert_refused "line 2 of #{@own} is not name=value", "[app]\ns3cret"
        assert_refused "line 3 of #{@own}: a service cannot name another", "\n[app]\nservice=x"
        assert_refused "line 2 of #{@own}: looking up services by LDAP is not supported", "[app]\nldap://h/x"
        assert_refused "unknown connection option \"prot\", did you mean port? (service app in #{@own})", "[app]\nprot=1"
        assert_refused "port must be a number from 1 to 65535 (service app in #{@own})", "[app]\nport=x"
      end

      def test_bad_lines_of_another_section_do_not_matter
        File.write(@own, "nonsense\n[other]\nnonsense\n[app]\nhost=db")

        assert_equal "db", config.host
      end
    end
  end
end
