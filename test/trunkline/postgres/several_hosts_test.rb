# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/open_sockets"
require "support/resolver"
require "support/scripted_server"
require "support/silent_server"

module Trunkline
  module Postgres
    class SeveralHostsTest < TestCase
      include OpenSockets
      include Resolver
      include SilentServer

      # A server that says what it is.
      def self.server_that_is(in_hot_standby)
        lambda do |peer|
          peer.startup
          peer << BackendMessages.authentication(0) << BackendMessages.parameter("in_hot_standby", in_hot_standby) <<
            BackendMessages.parameter("default_transaction_read_only", "off") << BackendMessages.session
          peer.drain
        end
      end

      def self.refusal(code, message)
        lambda do |peer|
          peer.startup
          peer << BackendMessages.error("S" => "FATAL", "C" => code, "M" => message)
        end
      end

      PRIMARY = server_that_is("off")
      STANDBY = server_that_is("on")
      STARTING = refusal("57P03", "the database system is starting up")
      STOPPING = refusal("57P01", "terminating connection due to administrator command")
      FULL = refusal("53300", "sorry, too many clients already")
      STRANGER = refusal("28P01", "password authentication failed")
      SILENT = :drain.to_proc
      private_constant :PRIMARY, :STANDBY, :STARTING, :STOPPING, :FULL, :STRANGER, :SILENT

      # Yields the folders of servers that follow these scripts; nil is a folder without one.
      def with_servers(*scripts, folders: [], &block)
        return yield(*folders) if scripts.empty?

        script, *rest = scripts
        return Dir.mktmpdir { |folder| with_servers(*rest, folders: [*folders, folder], &block) } unless script

        ScriptedServer.open(script) do |server|
          with_servers(*rest, folders: [*folders, server.conninfo[/host=(\S+)/, 1]], &block)
        end
      end

      def config(*hosts, **keywords)
        Config.new(env: {}, host: hosts, user: "ann", dbname: "app", connect_timeout: 20, **keywords)
      end

      # @return [String] the host that was connected to
      def reached(*hosts, **keywords)
        connection = Connector.connect(config(*hosts, **keywords))
        connection.server[%r{\A(.*):5432/app\z}, 1]
      ensure
        connection&.io&.close
      end

      def refused(*hosts, **keywords)
        assert_no_socket_left { assert_raises(Error) { Connector.connect(config(*hosts, **keywords)) } }
      end

      def test_the_first_that_works
        with_servers(nil, STARTING, FULL, PRIMARY, PRIMARY) { |*hosts| assert_equal hosts[3], unhurried { reached(*hosts) } }
      end

      def test_an_unknown_host_is_passed_over
        resolving("nohost.example" => SocketError.new("getaddrinfo: Name or service not known")) do
          with_servers(PRIMARY) { |host| assert_equal host, reached("nohost.example", host) }
        end
      end

      # A server that says nothing, a black hole, and a name that is not looked up.
      def test_each_host_has_its_own_time
        hang = Thread::Queue.new
        resolving("hanging.example" => hang) do
          silent_server do |hole|
            with_servers(SILENT, PRIMARY) do |silent, primary|
              ports = { silent => 5432, "127.0.0.1" => hole.ip_port, "hanging.example" => 1 }
              found = ports.map { |host, port| Thread.new { reached(host, primary, port: [port, 5432]) } }
              assert_equal [primary] * 3, found.map(&:value)
            end
          end
        end
      ensure
        hang << []
      end

      # The server shuts down while it logs the role in.
      def test_a_login_that_a_server_has_ended_may_succeed_on_another_host
        with_servers(STOPPING, PRIMARY) { |*hosts| assert_equal hosts.last, reached(*hosts) }
        with_servers(STOPPING) do |host|
          error = refused(host)
          assert_equal [AdminShutdown, true, false], [error.class, error.retriable?, error.sent?]
        end
      end

      def test_a_refused_password_ends_the_search
        with_servers(STRANGER, PRIMARY) do |*hosts|
          error = unhurried { refused(*hosts) }
          assert_instance_of InvalidPassword, error
          assert_equal "#{hosts.first}:5432/app", error.server
        end
      end

      def test_all_hosts_are_down
        with_servers(nil, STARTING) do |missing, starting|
          error = refused(missing, starting)
          assert_equal "none of the 2 hosts could be connected to: cannot connect to #{missing}/.s.PGSQL.5432: there is no such " \
                       "socket (is a server running on this machine, with that directory and port?) (server #{missing}:5432/app); " \
                       "the database system is starting up (SQLSTATE 57P03; server #{starting}:5432/app) " \
                       "(SQLSTATE 57P03; server #{missing}:5432,#{starting}:5432/app)", error.message
          assert_equal [ConnectionError, CannotConnectNow], error.reasons.map(&:class)
          assert_equal [ConnectionError, "57P03", true, false], [error.class, error.sqlstate, error.retriable?, error.sent?]
        end
      end

      def test_the_kind_of_server_that_is_requested
        with_servers(STANDBY, PRIMARY) do |standby, primary|
          { "any" => standby, "read-write" => primary, "read-only" => standby, "primary" => primary, "standby" => standby,
            "prefer-standby" => standby }.each do |wanted, host|
            assert_equal host, unhurried { reached(standby, primary, target_session_attrs: wanted) }, wanted
          end
        end
      end

      def test_a_standby_is_preferred_where_there_is_one
        with_servers(PRIMARY, nil, STANDBY) do |primary, missing, standby|
          assert_equal standby, unhurried { reached(primary, missing, standby, target_session_attrs: "prefer-standby") }
          assert_equal primary, reached(missing, primary, target_session_attrs: "prefer-standby")
        end
      end

      def test_a_writer_is_requested_and_only_readers_are_there
        with_servers(STANDBY, STANDBY) do |*hosts|
          alone = refused(hosts.first, target_session_attrs: "read-write")
          assert_instance_of UnsuitableServer, alone
          assert_equal "its sessions are read-only, and target_session_attrs requires read-write (server #{hosts.first}:5432/app)", alone.message
          assert_predicate alone, :retriable?
          assert_equal [UnsuitableServer] * 2, refused(*hosts, target_session_attrs: "primary").reasons.map(&:class)
        end
      end

      def test_an_unsuitable_server_is_left_politely
        farewell = nil
        leaving = lambda do |peer|
          peer.startup
          peer << BackendMessages.authentication(0) << BackendMessages.session
          assert_equal ["Q", "SELECT pg_catalog.pg_is_in_recovery()\0"], peer.message
          peer << BackendMessages.message("D", [1, 1, "f"].pack("nNa*")) << BackendMessages.ready
          farewell = peer.message
        end

        with_servers(leaving) { |host| refused(host, target_session_attrs: "standby") }
        assert_equal ["X", ""], farewell
      end

      def test_another_order_for_each_connection
        with_servers(PRIMARY, PRIMARY) do |*hosts|
          orders = Array.new(10) do |seed|
            Connector.new(config(*hosts, load_balance_hosts: "random"), random: Random.new(seed)).connect.then do |connection|
              connection.io.close
              connection.server
            end
          end
          assert_equal hosts.map { |host| "#{host}:5432/app" }.sort, orders.uniq.sort
        end
      end

      def test_failures_leave_nothing_open
        port = Trunkline::Bench::FreePort.find
        config = Config.new("host=/nowhere,127.0.0.1 port=#{port} user=ann", env: {})

        assert_no_socket_left do
          before = Dir.children("/dev/fd").size
          5_000.times { assert_raises(ConnectionError) { Connector.connect(config) } }
          assert_operator Dir.children("/dev/fd").size, :<=, before
        end
      end

      def test_the_owner_of_a_socket
        with_servers(PRIMARY) do |host|
          assert_equal host, reached(host, requirepeer: Etc.getpwuid.name)
          error = refused(host, requirepeer: "another")
          assert_equal "the server runs as the user #{Etc.getpwuid.name.inspect}, and requirepeer requires \"another\" " \
                       "(server #{host}:5432/app)", error.message
          refute_predicate error, :retriable?
        end
      end
    end
  end
end
