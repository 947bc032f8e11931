# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/open_sockets"
require "support/scripted_server"

module Trunkline
  module Postgres
    # Versions of the protocol, and servers and poolers that know only the older one.
    class AttemptTest < TestCase
      include BackendMessages
      include OpenSockets

      LONG_KEY = ("k" * 32).freeze
      private_constant :LONG_KEY

      def connect(script, **options)
        ScriptedServer.open(script) do |server|
          Connector.connect(Config.new(server.conninfo, env: {}, user: "ann", password: "secret", connect_timeout: 20, **options))
                   .tap { |connection| connection.io.close }
        end
      end

      def refused(error_class, script, **options)
        assert_no_socket_left { assert_raises(error_class) { connect(script, **options) } }
      end

      # A server that answers version 3.2 in this way, and takes 3.0.
      def knowing_old_only
        asked = []
        script = lambda do |peer|
          asked << peer.read(8).unpack1("@4N")
          next yield(peer) if asked.last == 196_610

          peer << authentication(0) << session
        end
        [script, asked]
      end

      def test_the_older_version_unless_told_otherwise
        assert_equal 4711, connect(->(peer) { peer.startup("3.0") && peer << authentication(0) << session }).backend_pid
      end

      def test_the_newer_version_and_its_longer_keys
        script = ->(peer) { peer.startup("3.2") && peer << authentication(0) << key(1, LONG_KEY) << ready }

        %w[3.2 latest].each { |version| assert_equal LONG_KEY, connect(script, max_protocol_version: version).secret_key }
      end

      def test_a_server_that_answers_with_the_older_one
        script = lambda do |peer|
          peer.startup("3.2")
          peer << message("v", [196_608, 0].pack("NN")) << authentication(0) << session
        end

        assert_equal "\x01\x02\x03\x04".b, connect(script, max_protocol_version: "3.2").secret_key
        error = refused(ConnectionError, script, min_protocol_version: "3.2")
        assert_match(/\Athe server speaks protocol 3\.0, and min_protocol_version is 3\.2 \(server/, error.message)
      end

      def test_servers_that_choke_on_the_newer_one
        [->(peer) { peer << error("C" => "0A000", "M" => "unsupported frontend protocol 3.2") },
         ->(peer) { peer << error("C" => "08P01", "M" => "bad version") }, ->(peer) {}, :reset.to_proc].each do |choke|
          script, asked = knowing_old_only(&choke)

          assert_equal 4711, connect(script, max_protocol_version: "3.2").backend_pid
          assert_equal [196_610, 196_608], asked
        end
      end

      def test_the_older_one_is_not_tried_where_it_may_not_be_or_would_not_help
        choke = ->(peer) { peer << error("C" => "0A000", "M" => "unsupported frontend protocol 3.2") }
        script, asked = knowing_old_only(&choke)
        refused(FeatureNotSupported, script, min_protocol_version: "3.2")
        assert_equal [196_610], asked

        script, asked = knowing_old_only { |peer| peer << error("C" => "28P01", "M" => "no") }
        refused(InvalidPassword, script, max_protocol_version: "3.2")
        assert_equal [196_610], asked
      end

      # PgBouncer has one state for everything.
      def test_what_a_pooler_says_that_passes
        { "no more connections allowed (max_client_conn)" => TooManyConnections, "server login has been failing, try again later (server_login_retry)" => CannotConnectNow,
          "pgbouncer cannot connect to server" => CannotConnectNow, "query_wait_timeout" => CannotConnectNow }.each do |words, error_class|
          asked = 0
          error = refused(error_class, ->(peer) { (asked += 1) && peer.startup && peer << error("S" => "FATAL", "C" => "08P01", "M" => words) })
          assert_equal [true, 1], [error.retriable?, asked], words
          assert_includes error.message, words
        end
      end

      def test_two_errors_in_a_row
        both = error("C" => "28000", "M" => "first") + error("C" => "28P01", "M" => "second")

        assert_match(/\Afirst /, refused(InvalidAuthorizationSpecification, ->(peer) { peer.startup && peer << both }).message)
        assert_match(/\Afirst /, refused(InvalidAuthorizationSpecification, ->(peer) { peer.startup && peer << authentication(0) << both }).message)
      end

      def test_a_server_that_wants_endless_iterations
        server = ScramServer.new("secret")
        server.iterations = 2_000_000_000
        endless = lambda do |peer|
          peer.startup
          peer << authentication(10, "SCRAM-SHA-256\0\0")
          peer << authentication(11, server.challenge(peer.message[1]))
          peer.drain
        end

        assert_match(/\ASCRAM authentication: the server requests 2000000000 iterations, more than 1000000 \(server/, refused(ProtocolError, endless).message)
      end
    end
  end
end
