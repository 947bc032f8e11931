# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/open_sockets"
require "support/scripted_server"
require "support/tls_authority"

module Trunkline
  module Postgres
    # What a client takes from a server that is asked to encrypt, and what it does not.
    class EncryptionTest < TestCase
      include BackendMessages
      include OpenSockets

      def authority = TLSAuthority.shared

      # A server that encrypts and trusts every user.
      def encrypting(context)
        lambda do |peer|
          peer.encrypt(context)
          peer.startup
          peer << authentication(0) << session
        end
      end

      def connect(server, **options)
        config = Config.new(server.conninfo, env: {}, user: "ann", connect_timeout: 20, sslmode: "verify-full", sslrootcert: authority.root, **options)
        Connector.connect(config).tap { |connection| connection.io.close }
      end

      def accepted(context, **options)
        ScriptedServer.open(encrypting(context), tcp: true) { |server| assert_equal 4711, connect(server, **options).backend_pid }
      end

      def refused(error_class, script, **options)
        script = encrypting(script) if script.is_a?(OpenSSL::SSL::SSLContext)
        ScriptedServer.open(script, tcp: true) do |server|
          assert_no_socket_left { assert_raises(error_class) { connect(server, **options) } }
        end
      end

      def assert_refused(message, script, error_class: ConnectionError, retriable: false, **options)
        error = refused(error_class, script, **options)
        assert_equal message, error.message[/\A(.*) \(server 127\.0\.0\.1:\d+\/ann\)\z/, 1]
        assert_equal retriable, error.retriable?
      end

      def local(**options) = authority.server("local", names: ["IP:127.0.0.1"], **options)

      def test_a_server_that_proves_its_identity
        accepted(local)
        accepted(local(key: OpenSSL::PKey::RSA.new(2048)))
        accepted(authority.server("local", subject: "127.0.0.1"))
      end

      def test_certificates_of_another_server
        assert_refused 'the server\'s certificate is for "other.example", not for "127.0.0.1"', authority.server("other.example")
        assert_refused 'the server\'s certificate is for "10.0.0.1" (and 2 other names), not for "127.0.0.1"',
                       authority.server("another", names: %w[IP:10.0.0.1 DNS:*.example])
        accepted(authority.server("other.example"), sslmode: "verify-ca")
      end

      def test_certificates_out_of_their_time
        assert_refused "the server's certificate is not trusted: certificate has expired", local(from: -10, to: -1)
        assert_refused "the server's certificate is not trusted: certificate is not yet valid", local(from: 1), sslmode: "require"
        accepted(local(from: -10, to: -1), sslmode: "require", sslrootcert: "/nowhere")
      end

      def test_revoked_certificates
        stolen = authority.server("stolen", names: ["IP:127.0.0.1"])
        list = authority.revoke("stolen", "stolen")
        assert_refused "the server's certificate is not trusted: certificate revoked", stolen, sslcrl: list
        assert_refused "the server's certificate is not trusted: certificate revoked", stolen, sslcrldir: hashed(list)
        accepted(stolen)
        accepted(local, sslcrl: list)
        accepted(local, sslcrldir: hashed(list))
      end

      # A caller that names a list relies on it.
      def test_a_list_of_revoked_certificates_that_is_not_there
        error = refused(ConfigError, local, sslcrl: "/nowhere/list.crl")

        assert_match(%r{\Athe revoked certificates in /nowhere/list\.crl cannot be read: }, error.message)
        error = refused(ConfigError, local, sslrootcert: authority.write("empty.crt", ""))
        assert_match(/\Athe root certificates in .*empty\.crt cannot be read: /, error.message)
      end

      def test_unencrypted_bytes_behind_the_answer
        ["S\x16\x03", "SE", "NR\0\0\0\x08\0\0\0\0", "NN"].each do |bytes|
          error = refused(ProtocolError, ->(peer) { peer.read(8) && peer << bytes }, sslmode: "require")

          assert_match(/\Athis does not seem to be a PostgreSQL server: it answered the SSLRequest with "[SN]/, error.message)
        end
      end

      def test_answers_that_are_none
        error = refused(ProtocolError, ->(peer) { peer << "HTTP/1.1 400 Bad Request" })
        assert_includes error.message, 'it answered the SSLRequest with "HTTP/1.1 400 Bad Request"'
        assert_refused "the server answered the SSLRequest with an error, which is not authenticated",
                       ->(peer) { peer.read(8) && peer << error("M" => "sorry") }, retriable: true
        assert_refused "the server closed the connection while encryption was negotiated", ->(peer) { peer.read(8) }, retriable: true
        assert_refused "the server closed the connection while encryption was negotiated", ->(peer) { peer.read(8) && peer.reset }, retriable: true
        assert_refused "the server does not support encryption, and sslmode=verify-full requires it", ->(peer) { peer.read(8) && peer << "N" }
      end

      def test_garbage_where_the_handshake_should_be
        ["x" * 100, "\x15\x03\x03\0\x02\x02\x28", "E\0\0\0\x09Mno\0\0", ""].each do |bytes|
          error = refused(ConnectionError, ->(peer) { peer.read(8) && peer << "S" && peer.read(5) && peer << bytes })

          assert_match(/\A(encryption could not be negotiated|the connection broke while encryption was negotiated): /, error.message)
        end
      end

      def test_a_server_that_goes_silent
        [:drain.to_proc, ->(peer) { peer.read(8) && peer << "S" && peer.drain }].each do |script|
          assert_refused "no answer in time while encryption was negotiated", script, connect_timeout: 3, retriable: true
        end
      end

      def test_bytes_that_come_one_at_a_time
        context = local
        bytewise = lambda do |peer|
          peer.encrypt(context)
          peer.bytewise = true
          peer.startup
          peer << authentication(0) << session
        end
        ScriptedServer.open(bytewise, tcp: true) { |server| assert_equal 4711, connect(server).backend_pid }
      end

      def test_direct_negotiation
        direct = local
        direct.alpn_select_cb = ->(offered) { offered.first }
        ScriptedServer.open(straight(direct), tcp: true) { |server| assert_equal 4711, connect(server, sslnegotiation: "direct").backend_pid }
        assert_refused "the server does not speak PostgreSQL's protocol over TLS (sslnegotiation=direct)", straight(local), sslnegotiation: "direct"
      end

      def test_which_server_is_meant_is_reported_by_name_only
        told = nil
        naming = local
        naming.servername_cb = ->((_, name)) { (told = name) && nil }
        [["db.example", {}, "db.example"], ["db.example", { sslsni: 0 }, nil], ["127.0.0.1", {}, nil], ["::1", {}, nil]].each do |host, options, expected|
          told = nil
          ScriptedServer.open(encrypting(naming), tcp: true) do |server|
            config = Config.new(server.conninfo, env: {}, user: "ann", host: host, hostaddr: "127.0.0.1", sslmode: "require", **options)
            Connector.connect(config).io.close
          end
          assert_equal [expected], [told]
        end
      end

      def test_a_server_that_must_request_a_certificate
        authority.issue("client")
        mine = { sslcertmode: "require", sslcert: authority.path("client.crt"), sslkey: authority.path("client.key") }
        asking = local
        asking.verify_mode = OpenSSL::SSL::VERIFY_PEER
        asking.ca_file = authority.root
        accepted(asking, **mine)
        assert_refused "the server did not request a certificate, and sslcertmode=require requires that", local, **mine
        error = refused(ConfigError, local, sslcertmode: "require", sslcert: "/nowhere")
        assert_equal "sslcertmode=require needs a client certificate (sslcert), and there is none", error.message
      end

      def test_what_is_preferred_gives_way_and_what_is_required_does_not
        reluctant = lambda do |peer|
          encrypted = peer.read(8).unpack("Nnn") == [8, 1234, 5679]
          encrypted ? peer << "S" : peer << "#{authentication(0)}#{session}"
          peer.reset if encrypted
        end
        ScriptedServer.open(reluctant, tcp: true) { |server| assert_equal 4711, connect(server, sslmode: "prefer", sslrootcert: "").backend_pid }
        refused(ConnectionError, reluctant, sslmode: "require")
      end

      # As with libpq: a client that only prefers encryption gets a connection, whatever is wrong with its files.
      def test_files_that_cannot_be_used_where_encryption_is_only_preferred
        either = lambda do |peer|
          asked = peer.read(8).unpack("Nnn") == [8, 1234, 5679]
          peer << (asked ? "S" : "#{authentication(0)}#{session}")
        end
        empty = authority.write("empty.crt", "")
        ScriptedServer.open(either, tcp: true) { |server| assert_equal 4711, connect(server, sslmode: "prefer", sslrootcert: empty).backend_pid }
        refused(ConfigError, either, sslmode: "require", sslrootcert: empty)
      end

      def test_a_server_that_starts_up_is_not_tried_twice
        asked = 0
        starting = lambda do |peer|
          peer.startup
          asked += 1
          peer << error("C" => "57P03", "M" => "the database system is starting up")
        end
        refused(CannotConnectNow, starting, sslmode: "allow")
        assert_equal 1, asked
      end

      def test_nothing_is_left_open_after_many_failures
        strange = authority.server("other.example")
        ScriptedServer.open(encrypting(strange), tcp: true) do |server|
          assert_no_socket_left { 50.times { assert_raises(ConnectionError) { connect(server) } } }
        end
      end

      private

      def straight(context)
        lambda do |peer|
          peer.shake_hands(context)
          peer.startup
          peer << authentication(0) << session
        end
      end

      # A directory as OpenSSL looks for lists in it: by a hash of their issuers.
      def hashed(list)
        Dir.mktmpdir("lists-", authority.folder).tap do |folder|
          issuer = OpenSSL::X509::CRL.new(File.read(list)).issuer
          FileUtils.cp(list, File.join(folder, format("%08x.r0", issuer.hash)))
        end
      end
    end
  end
end
