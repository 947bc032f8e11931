# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/backend_messages"
require "support/open_sockets"
require "support/scripted_server"
require "support/tls_authority"

module Trunkline
  module Postgres
    # TLS sessions that a server issues: when they are resumed, and what is verified all the same.
    class ResumptionTest < TestCase
      include BackendMessages
      include OpenSockets

      HOUR = 60 * 60
      VERSIONS = %w[TLSv1.2 TLSv1.3].freeze
      private_constant :HOUR, :VERSIONS

      def setup
        super
        Socket::TLS::Resumption.instance_variable_set(:@kept, {}) # a port may be that of a former test
        @resumed = []
      end

      def test_the_second_connection_resumes_the_session_of_the_first
        each_version { |options| serving(trusting(local)) { |server| 3.times { connect(server, **options) } } }
        assert_equal [false, true, true] * 2, @resumed
      end

      # OpenSSL would not resume the session object of such a connection.
      def test_a_connection_that_ends_without_close_notify
        each_version do |options|
          serving(trusting(local)) do |server|
            Thread.new { open_connection(server, **options).then { |connection| connection.io.to_io.close } }.join
            Array.new(1000) { +"of other objects" }
            2.times { GC.start } # frees the connection, which OpenSSL notes in its session
            connect(server, **options)
          end
        end
        assert_equal [false, true] * 2, @resumed
      end

      # As PostgreSQL does not.
      def test_a_server_that_resumes_no_sessions
        context = local
        context.options |= OpenSSL::SSL::OP_NO_TICKET
        context.session_cache_mode = OpenSSL::SSL::SSLContext::SESSION_CACHE_OFF
        each_version { |options| serving(trusting(context)) { |server| 3.times { connect(server, **options) } } }
        assert_equal [false, false, false] * 2, @resumed
      end

      def test_a_server_that_has_forgotten_its_keys
        each_version { |options| serving(trusting(local), trusting(local)) { |server| 3.times { connect(server, **options) } } }
        assert_equal [false, false, true] * 2, @resumed
      end

      def test_a_certificate_that_has_changed
        { TLSAuthority.new("a stranger").server("local", names: ["IP:127.0.0.1"]) => /certificate is not trusted/,
          authority.server("elsewhere") => /certificate is for "elsewhere"/, local(from: -2, to: -1) => /certificate has expired/ }.each do |context, reason|
          serving(trusting(local), trusting(context)) do |server|
            connect(server)
            assert_match(reason, assert_no_socket_left { assert_raises(ConnectionError) { connect(server) } }.message)
          end
        end
        refute_includes @resumed, true
      end

      # The server resumes the session.
      def test_the_name_is_checked_each_time
        serving(trusting(authority.server("elsewhere"))) do |server|
          connect(server, sslmode: "verify-ca")
          error = assert_no_socket_left { assert_raises(ConnectionError) { connect(server) } }

          assert_match(/certificate is for "elsewhere"/, error.message)
        end
        assert_equal [false, true], @resumed.first(2)
        refute_includes @resumed.drop(2), true
      end

      def test_trusted_certificates_that_have_changed
        roots = authority.write("changing.crt", File.read(authority.root))
        serving(trusting(local)) do |server|
          2.times { connect(server, sslrootcert: roots) }
          File.write(roots, File.read(TLSAuthority.new("another").root) + File.read(authority.root))
          2.times { connect(server, sslrootcert: roots) }
          File.write(roots, File.read(TLSAuthority.new("a stranger").root))
          assert_match(/certificate is not trusted/, assert_raises(ConnectionError) { connect(server, sslrootcert: roots) }.message)
        end
        assert_equal [false, true, false, true], @resumed.first(4)
        refute_includes @resumed.drop(4), true
      end

      def test_the_session_of_a_server_that_was_not_verified
        serving(trusting(local)) do |server|
          2.times { connect(server, sslmode: "require", sslrootcert: "/nowhere") }
          2.times { connect(server) }
        end
        assert_equal [false, true, false, true], @resumed
      end

      def test_lists_of_revoked_certificates
        stolen = local("stolen")
        list = authority.revoke("stolen")
        serving(trusting(stolen)) do |server|
          2.times { connect(server, sslcrl: list) }
          authority.revoke("stolen", "stolen")
          assert_match(/certificate revoked/, assert_raises(ConnectionError) { connect(server, sslcrl: list) }.message)
        end
        refute_includes @resumed, true
      end

      def test_a_session_expires_with_time_and_with_the_certificate
        { 30 => [0, 1, 3], 1 / 24r => [0, 0.5, 1.5] }.each do |days, hours|
          serving(trusting(local(to: days))) { |server| hours.each { |later| after_hours(later) { connect(server) } } }
        end
        assert_equal [false, true, false] * 2, @resumed
      end

      # Otherwise a session that is resumed again and again would never expire.
      def test_a_resumed_session_expires_with_the_full_handshake
        serving(trusting(local)) { |server| [0, 1.5, 2.5].each { |hours| after_hours(hours) { connect(server) } } }
        assert_equal [false, true, false], @resumed
      end

      def test_another_certificate_of_the_client
        requesting = local
        requesting.verify_mode = OpenSSL::SSL::VERIFY_PEER
        requesting.ca_file = authority.root
        requesting.session_id_context = "test"
        serving(trusting(requesting)) do |server|
          mine, other = %w[mine other].map { |name| authority.issue(name) && { sslcert: authority.path("#{name}.crt"), sslkey: authority.path("#{name}.key"), sslcertmode: "require" } }
          [mine, mine, other, other].each { |certificate| connect(server, **certificate) }
        end
        assert_equal [false, true, false, true], @resumed
      end

      # After that no session is offered for as long as the last one would have been.
      def test_a_handshake_that_fails_with_a_session
        context = local
        serving(trusting(context), method(:refuse), trusting(context)) do |server|
          3.times { connect(server) }
          assert_equal [false, false, false], @resumed
          after_hours(3) { connect(server) }
          connect(server)
        end
        assert_equal [false, false, false, false, true], @resumed
      end

      def test_a_handshake_that_breaks_with_a_session
        context = local
        serving(trusting(context), ->(peer) { client_hello(peer) && peer.reset }, trusting(context)) { |server| 3.times { connect(server) } }
        assert_equal [false, false, true], @resumed
      end

      def test_a_handshake_that_fails_without_a_session_too
        serving(trusting(local), method(:refuse)) do |server|
          connect(server)
          assert_match(/\Aencryption could not be negotiated: /, assert_no_socket_left { assert_raises(ConnectionError) { connect(server) } }.message)
        end
      end

      def test_a_proof_that_is_bound_to_the_certificate
        each_version do |options|
          context = local
          serving(binding_to("local", context)) { |server| 2.times { connect(server, channel_binding: "require", **options) } }
        end
        assert_equal [false, true] * 2, @resumed
      end

      # Its keys stay the same, so that it resumes sessions from before.
      def test_a_certificate_that_changes_beneath_its_sessions
        named = %w[former renewed].to_h { |name| [name, authority.server(name, names: ["DNS:db.example"])] }
        current = "former"
        front = local("front")
        front.servername_cb = ->(_) { named.fetch(current) }
        serving(->(peer) { binding_to(current, front).call(peer) }) do |server|
          2.times { connect(server, host: "db.example", hostaddr: "127.0.0.1", channel_binding: "require") }
          current = "renewed"
          2.times { connect(server, host: "db.example", hostaddr: "127.0.0.1", channel_binding: "require") }
        end
        assert_equal [false, true, true, false, true], @resumed
      end

      # The server has nothing against the session.
      def test_a_login_that_is_refused_in_any_case
        refusing = lambda do |peer|
          note(peer.encrypt(@context))
          peer.startup
          peer << error("C" => "28P01", "M" => "no")
        end
        serving(trusting(@context = local), refusing) do |server|
          connect(server)
          assert_raises(InvalidPassword) { connect(server) }
        end
        assert_equal [false, true], @resumed
      end

      def test_a_child_resumes_the_sessions_of_its_parent
        serving(trusting(local)) do |server|
          connect(server)
          Process.wait(fork { exit!(connect(server).backend_pid == 4711) })
          assert_predicate $?, :success?
          connect(server)
        end
        assert_equal [false, true, true], @resumed
      end

      def test_sessions_are_kept_of_so_many_servers
        resumption = Socket::TLS::Resumption
        100.times { |number| resumption.keep([number], nil) }
        kept = resumption.instance_variable_get(:@kept)
        assert_equal [64, [99]], [kept.size, kept.keys.last]
      end

      private

      def authority = TLSAuthority.shared

      def local(name = "local", **options) = authority.server(name, names: ["IP:127.0.0.1"], **options)

      def each_version(&block) = VERSIONS.map { |version| { ssl_min_protocol_version: version, ssl_max_protocol_version: version } }.each(&block)

      def after_hours(hours, &block) = Time.stub(:now, Time.now + (hours * HOUR), &block)

      def open_connection(server, **options)
        config = Config.new(server.conninfo, env: {}, user: "ann", password: "secret", connect_timeout: 20, sslmode: "verify-full", sslrootcert: authority.root, **options)
        Connector.connect(config)
      end

      def connect(server, **options)
        open_connection(server, **options).tap do |connection|
          assert_equal 4711, connection.backend_pid
          assert_equal options.fetch(:ssl_max_protocol_version, "TLSv1.3"), connection.io.ssl_version
          connection.io.close
        end
      end

      # @param scripts [Array<#call>] one for each connection; the last one for those that follow, too
      def serving(*scripts, &block)
        ScriptedServer.open(->(peer) { (scripts.size > 1 ? scripts.shift : scripts.first).call(peer) }, tcp: true, &block)
      end

      def note(encrypted) = @resumed << encrypted.session_reused?

      # A server that trusts every user.
      def trusting(context)
        lambda do |peer|
          note(peer.encrypt(context))
          peer.startup
          peer << authentication(0) << session
        end
      end

      # A server that accepts proofs which are bound to the certificate of that name.
      def binding_to(name, context)
        lambda do |peer|
          note(peer.encrypt(context))
          peer.startup
          scram = ScramServer.new("secret", binding: OpenSSL::Digest.digest("SHA256", OpenSSL::X509::Certificate.load_file(authority.path("#{name}.crt")).first.to_der))
          peer << authentication(10, "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0")
          peer << authentication(11, scram.challenge(peer.message.last))
          proven = scram.final(peer.message.last)
          peer << (proven ? authentication(12, proven) + authentication(0) + session : error("C" => "28000", "M" => "SCRAM channel binding check failed"))
        end
      end

      def client_hello(peer)
        peer.read(8)
        peer << "S"
        peer.read(peer.read(5).unpack1("@3n"))
      end

      # An internal error, as an alert.
      def refuse(peer)
        client_hello(peer)
        peer << "\x15\x03\x03\x00\x02\x02\x50".b
      end
    end
  end
end
