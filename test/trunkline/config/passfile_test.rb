# frozen_string_literal: true

require "test_helper"
require "tmpdir"

module Trunkline
  class Config
    class PassfileTest < TestCase
      def setup
        @folder = Dir.mktmpdir
        @path = "#{@folder}/.pgpass"
      end

      def teardown = FileUtils.remove_entry(@folder)

      def write(text, mode: 0o600)
        File.binwrite(@path, text)
        File.chmod(mode, @path)
      end

      def config(conninfo = "host=db dbname=app user=ann", env: {}) = Config.new(conninfo, env: { "HOME" => @folder, **env })

      def password(text, ...)
        write(text)
        config(...).password
      end

      def test_the_first_line_that_fits
        assert_equal "right", password("db:5432:app:bob:wrong\nother:5432:app:ann:wrong\ndb:5433:app:ann:wrong\n" \
                                       "db:5432:app:ann:right\ndb:5432:app:ann:late\n")
        assert_nil password("db:5432:app:bob:wrong")
        assert_nil password("db:5432:app\n")
      end

      def test_anything
        assert_equal "any", password("*:*:*:*:any")
        assert_nil password("d*:*:*:*:no")
        assert_nil password("\\*:*:*:*:no")
        assert_equal "star", password("\\*:*:*:*:star", "host=* dbname=app user=ann")
      end

      def test_a_backslash_takes_the_next_character_as_it_is
        assert_equal "a:b\\", password("\\:\\:1:5432:a\\\\b:ann:a\\:b\\\\", "host=::1 dbname='a\\\\b' user=ann")
        assert_equal "\\", password("*:*:*:*:\\")
        assert_equal "cut", password("*:*:*:*:cut:here")
      end

      def test_comments_and_line_ends
        assert_equal "p", password("# *:*:*:*:no\r\n\r\ndb:5432:app:ann:p\r\n")
        assert_equal "", password("*:*:*:*:")
        assert_equal "\xFFé", password("*:*:*:*:\xFFé").dup.force_encoding("UTF-8")
      end

      def test_the_default_directory_of_sockets_is_localhost
        text = "localhost:*:*:*:local\n/elsewhere:*:*:*:else"

        assert_equal %w[local local local else], ["host=/var/run/postgresql", "host=/tmp", "host=localhost", "host=/elsewhere"]
          .map { |host| password(text, host) }
        assert_equal "/tmp", password("/tmp:*:*:*:/tmp", "host=/tmp")
      end

      def test_an_address_is_looked_for_where_there_is_no_name
        text = "db:*:*:*:name\n10.0.0.1:*:*:*:address"

        assert_equal "name", password(text, "host=db hostaddr=10.0.0.1")
        assert_equal "address", password(text, "hostaddr=10.0.0.1")
      end

      def test_each_host_has_its_own
        write("a:1:*:*:one\nb:2:*:*:two")
        config = config("postgres://a:1,b:2")

        assert_equal %w[one two], config.hosts.map { |host| config.password(host) }
      end

      def test_where_the_file_is
        write("*:*:*:*:p")

        assert_equal @path, config.source(:password)
        assert_equal "default", config("user=ann", env: { "PGPASSFILE" => "/nowhere" }).source(:password)
        assert_equal @path, config("user=ann", env: { "HOME" => "/nowhere", "PGPASSFILE" => @path }).source(:password)
        assert_nil config("passfile=/nowhere").password
      end

      def test_a_password_that_is_given_wins
        assert_equal "given", password("*:*:*:*:p", "password=given")
        assert_equal "env", password("*:*:*:*:p", env: { "PGPASSWORD" => "env" })
        assert_equal "p", password("*:*:*:*:p", "password=''", env: { "PGPASSWORD" => "env" })
      end

      def test_it_is_read_at_every_connection
        config = config()
        write("*:*:*:*:one")
        assert_equal "one", config.password
        write("*:*:*:*:two")
        assert_equal "two", config.password
      end

      def test_a_file_that_others_may_read_is_not_used
        write("*:*:*:*:s3cret", mode: 0o640)
        error = assert_raises(ConfigError) { config.password }

        assert_equal "password file #{@path} is not used: others than its owner have access to it (chmod 600 ends that)", error.message
      end

      def test_something_else_than_a_file
        Dir.mkdir(@path)

        assert_includes assert_raises(ConfigError) { config.password }.message, "is no plain file"
      end

      def test_it_is_not_looked_at_to_show_the_options
        write("*:*:*:*:s3cret", mode: 0o644)

        refute_includes config.inspect, "s3cret"
      end
    end
  end
end
