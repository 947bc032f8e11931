# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    class StartupTest < TestCase
      include BackendMessages

      HANDSHAKE = BackendMessages.authentication(0) + BackendMessages.session

      def startup(**options) = Startup.new(user: "ann", dbname: "app", password: -> { "secret" }, **options)

      def assert_refused(error_class, message, *bytes, startup: self.startup)
        error = assert_raises(error_class) { bytes.each { |it| startup.receive(it) } }
        assert_equal message, error.message
        error
      end

      def test_the_startup_message
        pairs = "user\0ann\0database\0app\0client_encoding\0UTF8\0IntervalStyle\0postgres\0extra_float_digits\0" \
                "3\0standard_conforming_strings\0on\0application_name\0tést\0\0".b

        assert_equal [pairs.bytesize + 8, 196_608].pack("NN") + pairs, startup(settings: { "application_name" => "tést" }).message
      end

      def test_settings_win_over_those_of_every_session
        message = startup(settings: { "DateStyle" => "ISO, DMY" }).message

        assert_includes message, "DateStyle\0ISO, DMY\0"
        assert_equal 1, message.scan("DateStyle").size
      end

      def test_everything_at_once
        done = startup

        assert_equal "", done.receive("#{HANDSHAKE}next".b)
        assert_predicate done, :ready?
        assert_equal({ "server_version" => "15.4", "client_encoding" => "UTF8" }, done.parameters)
        assert_equal [4711, "\x01\x02\x03\x04".b, "next"], [done.backend_pid, done.secret_key, done.leftover]
      end

      def test_servers_that_are_too_old
        { "11.22 (Debian 11.22-1)" => "11.22 (Debian 11.22-1)", "9.6.24" => "9.6.24" }.each do |version, told|
          error = assert_raises(ConnectionError) { startup.receive(authentication(0) + parameter("server_version", version) + key + ready) }
          assert_equal ["this is PostgreSQL #{told}, and Trunkline needs 12 or newer", false], [error.message, error.retriable?]
        end
        ["12.0", "18beta1", "18.4 (Debian)", "1.18.0/bouncer"].each do |version|
          startup.tap { |fresh| fresh.receive(authentication(0) + parameter("server_version", version) + key + ready) }.then { |fresh| assert_predicate fresh, :ready? }
        end
      end

      def test_split_at_every_byte
        (1...HANDSHAKE.bytesize).each do |at|
          halves = startup
          halves.receive(HANDSHAKE.byteslice(0, at))

          refute_predicate halves, :ready?
          halves.receive(HANDSHAKE.byteslice(at..))
          assert_predicate halves, :ready?
          assert_empty halves.leftover
        end
      end

      def test_one_byte_at_a_time
        slow = startup
        HANDSHAKE.each_byte { |byte| slow.receive(byte.chr) }

        assert_predicate slow, :ready?
      end

      def test_a_pooler_without_a_key
        bare = startup
        bare.receive(authentication(0) + ready)

        assert_equal [nil, nil, {}], [bare.backend_pid, bare.secret_key, bare.parameters]
      end

      def test_a_long_key
        long = startup
        long.receive(authentication(0) + key(1, "k" * 256) + ready)

        assert_equal 256, long.secret_key.bytesize
      end

      def test_an_older_version_of_the_protocol
        newer = startup(protocol: %w[3.2 3.0])
        assert_equal 196_610, newer.message.unpack1("@4N")
        newer.receive(message("v", [196_608, 0].pack("NN")) + authentication(0) + session)

        assert_predicate newer, :ready?
        assert_refused ConnectionError, "the server speaks protocol 3.0, and min_protocol_version is 3.2",
                       message("v", [196_608, 0].pack("NN")), startup: startup(protocol: %w[3.2 3.2])
      end

      def test_what_requests_nothing_is_skipped
        notice = error("N", "S" => "NOTICE", "M" => "hello")
        patient = startup
        patient.receive(message("v", "\0\0\0\0\0\0\0\0") + authentication(0) + notice + message("A", "\0\0\0\1c\0p\0") + session)

        assert_predicate patient, :ready?
      end

      def test_an_answer_for_each_request
        assert_equal "p\0\0\0\x0Bsecret\0", startup.receive(authentication(3))
      end

      def test_errors_of_the_server
        error = assert_refused InvalidPassword, 'password authentication failed for user "ann" (SQLSTATE 28P01)',
                               error("S" => "FATAL", "C" => "28P01", "M" => 'password authentication failed for user "ann"')

        assert_equal "FATAL", error.severity
        assert_refused InvalidCatalogName, 'database "app" does not exist (SQLSTATE 3D000)', authentication(0),
                       error("C" => "3D000", "M" => 'database "app" does not exist')
        assert_refused ServerError, "the server reported an error without a message", message("E", "\0\0\0\0")
      end

      def test_errors_in_the_form_of_protocol_2
        text = "could not fork new process for connection: Cannot allocate memory\n"
        message = "the server refused the connection: #{text.strip}"

        assert_predicate assert_refused(ConnectionError, message, "E#{text}\0"), :retriable?
        assert_refused ConnectionError, message, *"E#{text}\0".chars
        assert_refused ConnectionError, "the server refused the connection: #{"x" * 40_000}", "E#{"x" * 40_000}"
      end

      def test_errors_in_the_form_of_protocol_2_that_end_with_the_connection
        interrupted = startup
        interrupted.receive("EFATAL:  no")

        assert_equal "the server refused the connection: FATAL:  no", interrupted.end_of_stream.message
      end

      def test_an_error_cut_short
        whole = error("S" => "FATAL", "C" => "28P01", "M" => "no")

        (0...whole.bytesize).each do |size|
          cut = startup
          cut.receive(whole.byteslice(0, size))
          assert_equal "the server closed the connection during authentication", cut.end_of_stream.message
        end
      end

      def test_strangers
        { "HTTP/1.1 400 Bad Request\r\n" => '"HTTP/1.1 400 Bad Request"', "SSH-2.0-OpenSSH_9.2\r\n" => '"SSH-2.0-OpenSSH_9.2"',
          "\x15\x03\x03\0\x02\x02\x28".b => '"\u0015\u0003\u0003\u0000\u0002\u0002("', "RFB 003.008\n" => '"RFB 003.008"',
          "-ERR unknown command\r\n" => '"-ERR unknown command"', "R\0\0\0\x07\0\0\0" => '"R\u0000\u0000\u0000\a"',
          "E\0\0\0\x07abc" => '"E\u0000\u0000\u0000\aabc"',
          "Z\0\0\0\x05I" => '"Z\u0000\u0000\u0000\u0005I"', "R\x80\0\0\0".b => "R\uFFFD".inspect,
          "R\0\0\x07\xD1".b => "R\0\0\a\uFFFD".inspect }.each do |bytes, shown|
          assert_refused ProtocolError, "this does not seem to be a PostgreSQL server: it answered #{shown}", bytes
        end
      end

      def test_messages_that_do_not_belong_here
        assert_refused ProtocolError, 'unexpected message "D" in the handshake', authentication(0), message("D", "\0\0")
        assert_refused ProtocolError, 'unexpected message "R" in the handshake', authentication(0), authentication(0)
      end

      def test_lengths_that_cannot_be
        assert_refused ProtocolError, 'message "S" with an impossible length of -1', authentication(0), "S\xFF\xFF\xFF\xFF".b
        assert_refused ProtocolError, 'message "Z" with an impossible length of 3', authentication(0), "Z\0\0\0\3"
        assert_refused ProtocolError, "a handshake of more than 1048576 bytes", authentication(0), "S\x7F\xFF\xFF\xFF".b
      end

      def test_a_server_that_never_comes_to_an_end
        endless = startup
        endless.receive(authentication(0))

        assert_refused ProtocolError, "a handshake of more than 1048576 bytes", *([parameter("a", "b" * 1000)] * 1100), startup: endless
        assert_operator endless.parameters.size, :<=, 1
      end

      def test_malformed_messages
        ["", "a", "a\0", "a\0b", "a\0b\0c\0"].each do |body|
          assert_refused ProtocolError, "a malformed ParameterStatus", authentication(0), message("S", body)
        end
        ["\0\0\0\1abc", "\0\0\0\1#{"k" * 257}"].each do |body|
          assert_refused ProtocolError, "a malformed BackendKeyData", authentication(0), message("K", body)
        end
        ["", "T", "II"].each do |status|
          assert_refused ProtocolError, "a new session with transaction status #{status.inspect}", authentication(0), ready(status)
        end
      end

      def test_a_session_that_is_not_as_requested
        error = assert_refused ConnectionError, 'the session has client_encoding "LATIN1", which is not what the client requested',
                               authentication(0), parameter("client_encoding", "LATIN1"), ready

        refute_predicate error, :retriable?
      end

      def test_a_datestyle_with_its_order_is_as_requested
        styled = startup
        styled.receive(authentication(0) + parameter("DateStyle", "ISO, DMY") + ready)

        assert_predicate styled, :ready?
      end

      # It is asked for in another attempt, with the order that the session has. Where it was asked for, it is an error like others.
      def test_a_datestyle_that_cannot_be_read
        { "German, DMY" => "ISO, DMY", "SQL, MDY" => "ISO, MDY", "Postgres" => "ISO" }.each do |reported, readable|
          error = assert_raises(Startup::OtherDateStyle) { startup.receive(authentication(0) + parameter("DateStyle", reported) + ready) }
          assert_equal readable, error.readable
        end
        assert_refused ConnectionError, 'the session has DateStyle "German, DMY", which is not what the client requested', authentication(0),
                       parameter("DateStyle", "German, DMY"), ready, startup: startup(settings: { "DateStyle" => "ISO, DMY" })
      end

      def test_the_end_of_the_stream_names_the_stage
        early = startup
        early.receive("R")
        late = startup
        late.receive(authentication(0) + "E")

        assert_equal "the server closed the connection during authentication", early.end_of_stream.message
        assert_equal "the server closed the connection during the preparation of the session", late.end_of_stream.message
      end

      def test_inspect_has_no_password
        refute_includes startup.inspect, "secret"
      end
    end
  end
end
