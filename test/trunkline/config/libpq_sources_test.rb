# frozen_string_literal: true

require "test_helper"
require "pg"
require "support/backend_messages"
require "support/scripted_server"
require "tmpdir"

module Trunkline
  class Config
    # Random environments, service files and password files mean the same to libpq.
    class LibpqSourcesTest < TestCase
      ENVIRONMENTS = 200
      PASSFILES = 150
      TEXTS = ["a", "b c", " d ", "é", "x=y", "#z", "[s]", "'", "\\"].freeze
      SERVICES = %w[one two].freeze

      # Of those that libpq fills in, the ones that it does not derive from something else.
      OPTIONS = %w[application_name connect_timeout dbname host hostaddr options port sslcert sslkey sslmode sslrootcert
                   target_session_attrs user].freeze
      VALUES = { "port" => %w[1 5432 1,2], "host" => %w[h h,i /tmp], "hostaddr" => %w[10.0.0.1], "sslmode" => %w[disable prefer],
                 "target_session_attrs" => %w[any primary], "connect_timeout" => %w[1 2] }.freeze

      # Passwords and the other fields; some mean themselves only with a backslash.
      FIELDS = ["app", "ann", "db", "*", "a:b", "\\", "a\\:b", "é"].freeze
      private_constant :ENVIRONMENTS, :PASSFILES, :TEXTS, :SERVICES, :OPTIONS, :VALUES, :FIELDS

      def setup
        @random = Random.new(Minitest.seed)
        @folder = Dir.mktmpdir
        @saved = ENV.to_h
        ENV.delete_if { |name, _| name.start_with?("PG") }
      end

      def teardown
        ENV.replace(@saved)
        FileUtils.remove_entry(@folder)
      end

      def test_the_environment_and_service_files
        ENVIRONMENTS.times do
          env = environment
          ENV.update(env)
          given = Given.new(nil, ENV, {})
          assert_equal OPTIONS.to_h { |name| [name, libpq_default(name)] }, OPTIONS.to_h { |name| [name, ours(given, name)] },
                       "#{env} #{File.read("#{@folder}/.pg_service.conf")}"
          env.each_key { |name| ENV.delete(name) }
        end
      end

      def test_password_files
        sent = Thread::Queue.new
        ScriptedServer.open(->(peer) { ask_for_password(peer, sent) }) do |server|
          PASSFILES.times do
            text = Array.new(3) { passfile_line }.join
            conninfo = conninfo(server, text)
            assert_equal libpq_password(conninfo, sent), Config.new(conninfo, env: {}).password.to_s.b, "#{conninfo}\n#{text}"
          end
        end
      end

      private

      def pick(list) = list[@random.rand(list.size)]

      def value_of(name) = pick(VALUES.fetch(name, TEXTS))

      def environment
        File.write("#{@folder}/.pg_service.conf", SERVICES.map { |service| "[#{service}]\n#{Array.new(3) { service_line }.join}" }.join)
        env = Array.new(3) { pick(OPTIONS) }.to_h { |name| [variable(name), value_of(name)] }.compact
        env.delete(nil)
        env["PGREQUIRESSL"] = pick(%w[0 x]) if @random.rand < 0.1
        env["PGSERVICE"] = pick(SERVICES) if @random.rand < 0.7
        env.merge("HOME" => @folder)
      end

      def service_line
        name = pick(OPTIONS)
        pick(["#{name}=#{value_of(name)}\n", "  #{name}=#{value_of(name)} \t\n", "# #{name}\n", "\n"])
      end

      def defaults = ::PG::Connection.conndefaults

      def variable(name) = defaults.find { |option| option[:keyword] == name }[:envvar]

      def libpq_default(name)
        option = defaults.find { |default| default[:keyword] == name }
        option[:val].b unless option[:val].nil? || option[:val] == option[:compiled]
      end

      def ours(given, name)
        option = Options::TABLE.fetch(name)
        value = given.value(option)
        return (Defaults.user.b if name == "user") if value.nil? || value == option.default || value == ["5432"]

        (value.is_a?(Array) ? value.join(",") : value.to_s.delete_suffix(".0")).b
      end

      def ask_for_password(peer, sent)
        peer.startup
        peer << BackendMessages.authentication(3)
        sent << peer.message[1].delete_suffix("\0")
      rescue ScriptedServer::Gone
        sent << ""
      end

      def libpq_password(conninfo, sent)
        ::PG.connect("#{conninfo} gssencmode=disable")
      rescue ::PG::Error
        sent.pop
      end

      def conninfo(server, text)
        File.write("#{@folder}/pass", text, perm: 0o600)
        "#{server.conninfo} passfile=#{@folder}/pass user=#{quoted(pick(FIELDS))} dbname=#{quoted(pick(FIELDS))}"
      end

      def quoted(text) = "'#{text.gsub(/['\\]/) { |character| "\\#{character}" }}'"

      def passfile_line
        pick(["*:*:#{field}:#{field}:#{field}\n", "*:5432:*:#{field}:#{field}:x\r\n", "*:*:*:*\n", "#*:*:*:*:a\n", "\n", "*:*:#{field}:*:#{field}"])
      end

      def field = pick([pick(FIELDS), pick(FIELDS).gsub(/[:\\]/) { |character| "\\#{character}" }])
    end
  end
end
