# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/backend_messages"
require "support/open_sockets"
require "support/scripted_server"

module Trunkline
  module Postgres
    class ConnectorTest < TestCase
      include BackendMessages
      include OpenSockets

      # A server with everything: SCRAM, parameters, key, and one byte of what follows.
      SCRAM_SESSION = lambda do |peer|
        peer.startup
        server = BackendMessages::ScramServer.new("secret")
        peer << BackendMessages.authentication(10, "SCRAM-SHA-256\0\0")
        peer << BackendMessages.authentication(11, server.challenge(peer.message[1]))
        peer << BackendMessages.authentication(12, server.final(peer.message[1]))
        peer << BackendMessages.authentication(0) << "#{BackendMessages.session}x"
      end

      TRUST_SESSION = lambda do |peer|
        peer.startup
        peer << "#{BackendMessages.authentication(0)}#{BackendMessages.session}"
      end

      # No StandardError: what a cancelled fiber or a signal raises.
      Cancelled = Class.new(Exception)

      private_constant :SCRAM_SESSION, :TRUST_SESSION, :Cancelled

      def config(server, timeout: 5, **keywords)
        Config.new(server.conninfo, env: {}, user: "ann", dbname: "app", password: "secret", connect_timeout: timeout, **keywords)
      end

      def connect(server, **options) = Connector.connect(config(server, **options))

      def with_script(script, **options, &block) = ScriptedServer.open(script, **options, &block)

      def assert_refused(error_class, message, server, **options)
        error = assert_no_socket_left { assert_raises(error_class) { connect(server, **options) } }
        context = ["SQLSTATE #{error.sqlstate}; " * (error.sqlstate ? 1 : 0), "server #{config(server).server}"].join
        assert_equal "#{message} (#{context})", error.message
        assert_equal config(server).server, error.server
        error
      end

      def test_a_connection
        with_script(SCRAM_SESSION) do |server|
          connection = connect(server)

          assert_equal [4711, "\x01\x02\x03\x04".b, "x"], [connection.backend_pid, connection.secret_key, connection.leftover]
          assert_equal "15.4", connection.parameters["server_version"]
          assert_equal config(server).server, connection.server
          assert_predicate connection, :frozen?
          assert_nil connection.io.read(1)
          refute_includes connection.inspect, "\x01"
        ensure
          connection&.io&.close
        end
      end

      def test_what_the_server_is_told
        told = nil
        with_script(->(peer) { told = peer.startup }, tcp: true) do |server|
          assert_raises(ConnectionError) { connect(server, application_name: "test") }
        end

        assert_equal({ "user" => "ann", "database" => "app", "client_encoding" => "UTF8",
                       "IntervalStyle" => "postgres", "extra_float_digits" => "3", "standard_conforming_strings" => "on",
                       "application_name" => "test" }, told)
      end

      # As poolers do that do not know a setting.
      def test_a_pooler_that_refuses_some_settings
        told = []
        pooler = lambda do |peer|
          told << peer.startup.keys
          next peer << BackendMessages.error(S: "FATAL", V: "FATAL", C: "08P01", M: "unsupported startup parameter") if told.size == 1

          peer << BackendMessages.authentication(0) << BackendMessages.session
        end
        with_script(pooler) do |server|
          connection = connect(server)
          assert_equal [%w[IntervalStyle extra_float_digits], true], [told[0] - told[1], connection.minimal_startup?]
          connection.io.close
        end
      end

      def test_a_pooler_that_refuses_whatever_is_requested
        refusal = ->(peer) { peer.startup && peer << BackendMessages.error(S: "FATAL", V: "FATAL", C: "08P01", M: "unsupported") }
        with_script(refusal) { |server| assert_refused(ProtocolViolation, "unsupported", server) }
      end

      def test_bytes_that_come_one_at_a_time
        bytewise = lambda do |peer|
          peer.bytewise = true
          SCRAM_SESSION.call(peer)
        end

        with_script(bytewise, tcp: true) do |server|
          connection = connect(server)
          assert_equal 4711, connection.backend_pid
          connection.io.close
        end
      end

      def test_a_server_that_goes_away_after_any_byte
        budget = 0
        cut = lambda do |peer|
          peer.budget = budget
          SCRAM_SESSION.call(peer)
        end

        with_script(cut) do |server|
          assert_no_socket_left { budget += 1 while refused_by(server) }
        end
        assert_operator budget, :>, 200
      end

      def test_a_server_that_closes_without_reading
        with_script(->(_peer) {}, tcp: true) do |server|
          assert_refused ConnectionError, "the server closed the connection during authentication", server, sslmode: "disable"
          assert_refused ConnectionError, "the server closed the connection while encryption was negotiated", server
        end
      end

      def test_a_server_that_resets_the_connection
        with_script(->(peer) { peer.startup && peer.reset }, tcp: true) do |server|
          assert_refused ConnectionError, "the server closed the connection during authentication", server
        end
      end

      def test_a_network_that_breaks
        network = Object.new
        def network.write_nonblock(*, **) = raise(Errno::EHOSTUNREACH)
        def network.read_nonblock(*, **) = raise(Errno::ETIMEDOUT)
        def network.close = @closed = true
        def network.closed? = @closed
        config = Config.new("host=h port=1 user=u sslmode=disable", env: {})
        attempt = ConnectionAttempt.new(config, config.hosts.first)
        Socket::TCP.stub(:connect, network) do
          error = assert_raises(ConnectionError) { attempt.connect }
          assert_equal "the connection broke during authentication: connection timed out (server h:1/u)", error.message
        end

        assert_predicate network, :closed?
      end

      def test_a_server_that_refuses_without_reading
        with_script(->(peer) { peer << error("C" => "53300", "M" => "sorry, too many clients already") }) do |server|
          assert_predicate assert_refused(TooManyConnections, "sorry, too many clients already", server), :retriable?
        end
      end

      def test_a_server_that_says_nothing
        [{}, { tcp: true }].each do |options|
          with_script(:drain.to_proc, **options) do |server|
            assert_refused ConnectionError, "no answer within 3 s (connect_timeout) during authentication", server, timeout: 3,
                           sslmode: "disable"
          end
        end
      end

      # One host, and no timeout given: a frozen server takes connections, too.
      def test_a_handshake_takes_ten_seconds_at_most
        later = 0
        arrived = Thread::Queue.new
        with_script(ScriptedServer.silent(arrived), tcp: true) do |server|
          Socket::Readiness.stub(:now, -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + later }) do
            asking = Thread.new { assert_raises(ConnectionError) { connect(server, timeout: nil, sslmode: "disable") } }
            arrived.pop
            later = 11
            assert_includes asking.value.message, "no answer within 10 s (connect_timeout) during authentication"
          end
        end
      end

      def test_a_server_that_stops_in_the_middle
        stalling = lambda do |peer|
          peer << authentication(0)
          peer.drain
        end

        with_script(stalling) do |server|
          assert_refused ConnectionError, "no answer within 3 s (connect_timeout) during the preparation of the session",
                         server, timeout: 3
        end
      end

      def test_a_server_that_does_not_read
        released = Queue.new
        with_script(->(_peer) { released.pop }) do |server|
          assert_refused ConnectionError, "no answer within 3 s (connect_timeout) during authentication", server,
                         timeout: 3, application_name: "x" * 10_000_000
        ensure
          released.close
        end
      end

      def test_something_else_answers
        with_script(->(peer) { peer << "SSH-2.0-OpenSSH_9.2\r\n" }, tcp: true) do |server|
          assert_refused ProtocolError, 'this does not seem to be a PostgreSQL server: it answered "SSH-2.0-OpenSSH_9.2"', server,
                         sslmode: "disable"
        end
      end

      def test_an_impostor_is_refused_before_it_is_trusted
        impostor = lambda do |peer|
          peer.startup
          peer << authentication(10, "SCRAM-SHA-256\0\0")
          peer << authentication(11, BackendMessages::ScramServer.new("guess").challenge(peer.message[1]))
          peer << authentication(12, "v=#{["x" * 32].pack("m0")}")
          peer.drain
        end

        with_script(impostor) do |server|
          assert_refused ProtocolError, "SCRAM authentication: the server has not proven that it knows the password: it may be " \
                                        "another server", server
        end
      end

      def test_no_server_there
        folder = with_script(TRUST_SESSION) { |server| config(server).host }
        error = assert_raises(ConnectionError) { Connector.connect(Config.new(env: {}, host: folder, user: "ann")) }

        assert_includes error.message, "there is no such socket"
        assert_equal "#{folder}:5432/ann", error.server
      end

      def test_no_message_holds_the_password
        refusing = lambda do |peer|
          peer.startup
          peer << authentication(3)
          assert_equal ["p", "secret\0"], peer.message
          peer << error("C" => "28P01", "M" => "no")
        end

        with_script(refusing) do |server|
          error = assert_raises(InvalidPassword) { connect(server) }
          refute_includes error.full_message, "secret"
        end
      end

      def test_a_password_that_is_requested
        with_script(SCRAM_SESSION) do |server|
          connect(server, password: -> { "secret" }).io.close
          assert_raises(ConfigError) { connect(server, password: -> { 1 }) }
        end
      end

      def test_an_exception_from_outside_leaves_nothing_open
        with_script(:drain.to_proc) do |server|
          assert_no_socket_left do
            thread = Thread.new { connect(server, timeout: nil) }
            Thread.pass until thread.stop?
            thread.report_on_exception = false
            thread.raise(Cancelled)
            assert_raises(Cancelled) { thread.value }
          end
        end
      end

      private

      # Whether the handshake failed, and as it should when the other side goes away.
      def refused_by(server)
        connect(server).io.close
        false
      rescue ConnectionError => error
        assert_match(/\Athe server closed the connection during (authentication|the preparation of the session) /, error.message)
        true
      end
    end
  end
end
