# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "socket"
require "tmpdir"

module Trunkline
  class Config
    class DefaultsTest < TestCase
      def test_the_host_is_where_a_socket_of_that_port_lies
        Dir.mktmpdir do |folder|
          directories = ["#{folder}/none", folder]
          UNIXServer.open("#{folder}/.s.PGSQL.7777") do
            assert_equal folder, Defaults.host(7777, directories)
            assert_equal "localhost", Defaults.host(7778, directories)
          end
        end
      end

      def test_the_program_is_called_as_it_was_started
        program = $PROGRAM_NAME
        { "bin/app" => "bin/app", "" => nil, "/#{"a" * 29}#{"b" * 9}#{"c" * 30}" => "/#{"a" * 29}...#{"c" * 30}", "\xFFapp" => "?app" }.each do |name, expected|
          $PROGRAM_NAME = name
          name == "" ? assert_nil(Defaults.program_name) : assert_equal(expected, Defaults.program_name)
        end
      ensure
        $PROGRAM_NAME = program
      end

      def test_the_user_is_the_operating_systems
        assert_equal Etc.getpwuid(Process.euid).name, Defaults.user
      end

      def test_a_user_without_a_name
        nameless = ->(_id) { raise ArgumentError, "can't find user" }
        error = Etc.stub(:getpwuid, nameless) { assert_raises(ConfigError) { Defaults.user } }

        assert_equal "no user is given, and the operating system has no name for user id #{Process.euid}", error.message
      end
    end
  end
end
