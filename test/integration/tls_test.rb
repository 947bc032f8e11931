# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/open_sockets"
require "support/tls_servers"
require "trunkline/postgres/connect/cancel"

module Trunkline
  # A real server that encrypts: every mode, against users that must connect with TLS, without it, or with a certificate.
  class TLSIntegrationTest < TestCase
    include OpenSockets

    MODES = %w[disable allow prefer require verify-ca verify-full].freeze
    ENCRYPTED = { "version" => "TLSv1.3" }.freeze
    CLEAR = { "version" => nil }.freeze
    REFUSED = LoginError
    private_constant :MODES, :ENCRYPTED, :CLEAR, :REFUSED

    def authority = TLSAuthority.shared

    def server = TLSServers.postgres

    def config(user, host: "localhost", **options)
      Config.new(env: {}, host: host, port: server.port, user: user, password: "secret", dbname: "postgres", **options)
    end

    def client(user, **options, &block) = Trunkline.postgres(nil, connections: 1, max_connections: 2, **named(user, options), &block)

    def named(user, options)
      { host: "localhost", port: server.port, user: user, password: "secret", dbname: "postgres", **options }
    end

    # What the server says of the connection.
    def encryption(user, **options)
      client(user, **options) { |db| db.first("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()") }
    end

    def outcome(user, **options)
      encryption(user, **options)
    rescue Error => error
      error.class
    end

    def refused(error_class, user, **options)
      assert_no_socket_left { assert_raises(error_class) { encryption(user, **options) } }
    end

    def test_every_mode_and_what_the_server_allows
      { "encrypted" => [REFUSED, ENCRYPTED, ENCRYPTED, ENCRYPTED, ENCRYPTED, ENCRYPTED],
        "clear" => [CLEAR, CLEAR, CLEAR, REFUSED, REFUSED, REFUSED],
        "salted" => [CLEAR, CLEAR, ENCRYPTED, ENCRYPTED, ENCRYPTED, ENCRYPTED] }.each do |user, expected|
        assert_equal expected, MODES.map { |mode| outcome(user, sslmode: mode, sslrootcert: authority.root) }, user
      end
    end

    def test_of_two_refusals_the_encrypted_one_is_reported
      %w[allow prefer].each do |mode|
        error = refused(LoginError, "encrypted", sslmode: mode, password: "wrong")

        assert_includes error.message, 'password authentication failed for user "encrypted"'
        assert_equal "28P01", error.sqlstate
        assert_match(/no encryption|SSL off/, error.cause.cause.message) # the latter before PostgreSQL 14
      end
    end

    def test_unix_sockets_are_never_encrypted
      assert_equal CLEAR, encryption("postgres", host: server.socket_directory, sslmode: "verify-full", sslrootcert: "/nowhere")
    end

    def test_names_and_addresses_of_the_certificate
      ["localhost", "127.0.0.1", "LOCALHOST"].each do |host|
        assert_equal ENCRYPTED, encryption("postgres", host: host, sslmode: "verify-full", sslrootcert: authority.root)
      end
      assert_equal ENCRYPTED, encryption("postgres", host: "db", hostaddr: "127.0.0.1", sslmode: "verify-ca", sslrootcert: authority.root)
      error = refused(ConnectionError, "postgres", host: "db", hostaddr: "127.0.0.1", sslmode: "verify-full", sslrootcert: authority.root)

      assert_match(/\Athe server's certificate is for "localhost" \(and 2 other names\), not for "db" \(server db:/, error.message)
      refute_predicate error, :retriable?
    end

    def test_an_unknown_authority
      stranger = TLSAuthority.new("a stranger").root
      %w[require verify-ca verify-full].each do |mode|
        error = refused(ConnectionError, "postgres", sslmode: mode, sslrootcert: stranger)

        assert_match(/\Athe server's certificate is not trusted: \w/, error.message)
      end
      assert_equal CLEAR, encryption("postgres", sslmode: "prefer", sslrootcert: stranger)
      error = refused(ConnectionError, "postgres", sslrootcert: "system")
      assert_includes error.message, "is not trusted"
    end

    def test_no_root_certificates
      assert_equal ENCRYPTED, encryption("postgres", sslmode: "require", sslrootcert: "/nowhere/root.crt")
      %w[verify-ca verify-full].each do |mode|
        error = refused(ConfigError, "postgres", sslmode: mode, sslrootcert: "/nowhere/root.crt")

        assert_equal "sslmode=#{mode} needs root certificates, and there is no file /nowhere/root.crt: name one by sslrootcert, or " \
                     "trust this machine's by sslrootcert=system", error.message
      end
    end

    def test_versions_of_tls
      assert_equal({ "version" => "TLSv1.2" }, encryption("postgres", sslmode: "require", ssl_max_protocol_version: "TLSv1.2"))
      assert_equal ENCRYPTED, encryption("postgres", sslmode: "require", ssl_min_protocol_version: "TLSv1.3")
      error = refused(ConnectionError, "postgres", sslmode: "require", ssl_min_protocol_version: "TLSv1", ssl_max_protocol_version: "TLSv1.1")
      assert_match(/\Aencryption could not be negotiated: /, error.message)
    end

    def test_client_certificates
      authority.issue("certified")
      authority.issue("another")
      mine = { sslmode: "verify-full", sslrootcert: authority.root }
      assert_equal ENCRYPTED, encryption("certified", **mine, **certificate("certified"))
      refused(REFUSED, "certified", **mine, **certificate("another"))
      refused(REFUSED, "certified", **mine, sslcert: "/nowhere")
      refused(REFUSED, "certified", **mine, **certificate("certified"), sslcertmode: "disable")
      assert_equal ENCRYPTED, encryption("vouched", **mine, **certificate("another"), sslcertmode: "require")
    end

    def test_a_client_certificate_of_a_stranger
      stranger = TLSAuthority.new("another stranger")
      stranger.issue("certified")
      error = refused(ConnectionError, "certified", sslmode: "require", sslcert: stranger.path("certified.crt"), sslkey: stranger.path("certified.key"))

      assert_match(/\Athe encrypted connection broke: .*unknown ca/, error.message)
    end

    def test_a_key_with_a_passphrase
      authority.issue("certified", passphrase: "pass")
      assert_equal ENCRYPTED, encryption("certified", sslmode: "require", **certificate("certified"), sslpassword: "pass")
      ["wrong", nil].each do |passphrase|
        error = refused(ConfigError, "certified", sslmode: "require", **certificate("certified"), sslpassword: passphrase)

        assert_includes error.message, "is sslpassword right?"
        refute_includes error.full_message, "wrong"
      end
    end

    def test_channel_binding
      { "encrypted" => ENCRYPTED, "salted" => ENCRYPTED }.each do |user, expected|
        %w[disable prefer require].each { |wish| assert_equal expected, encryption(user, sslmode: "require", channel_binding: wish) }
      end
      error = refused(ConnectionError, "salted", sslmode: "disable", channel_binding: "require")
      assert_match(/\Achannel_binding=require cannot be met: the connection is not encrypted \(server/, error.message)
      %w[hashed postgres].each do |user|
        error = refused(ConnectionError, user, sslmode: "require", channel_binding: "require")
        assert_match(/\Achannel_binding=require cannot be met: the server does not use SCRAM authentication \(server/, error.message)
      end
    end

    def test_require_auth
      { "salted" => "scram-sha-256", "hashed" => "md5", "postgres" => "none" }.each do |user, method|
        assert_equal ENCRYPTED, encryption(user, sslmode: "require", require_auth: "password,#{method}")
        error = refused(ConnectionError, user, sslmode: "require", require_auth: "!#{method}")
        assert_match(/ #{method == "none" ? "no authentication" : "authentication by #{method}"}, and require_auth does not allow that \(server/, error.message)
      end
    end

    def test_a_later_protocol_is_not_spoken_here
      assert_equal ENCRYPTED, encryption("postgres", sslmode: "require", max_protocol_version: "3.2")
      return assert_equal(ENCRYPTED, encryption("postgres", sslmode: "require", min_protocol_version: "3.2")) if server.psql("SHOW server_version_num").to_i >= 180_000

      error = refused(ConnectionError, "postgres", sslmode: "require", min_protocol_version: "3.2")

      assert_match(/\Athe server speaks protocol 3\.0, and min_protocol_version is 3\.2 \(server/, error.message)
    end

    def test_direct_negotiation_needs_a_server_of_version_17
      direct = { sslmode: "require", sslnegotiation: "direct" }
      return assert_equal(ENCRYPTED, encryption("postgres", **direct)) if server.psql("SHOW server_version_num").to_i >= 170_000

      error = refused(ConnectionError, "postgres", **direct)

      assert_match(/\A(encryption could not be|the connection broke while encryption was) negotiated: .*sslnegotiation=direct needs PostgreSQL 17 or newer/, error.message)
    end

    def test_a_server_that_does_not_encrypt
      options = { port: postgres_server.port, host: "127.0.0.1" }
      assert_equal CLEAR, encryption("postgres", **options)
      error = refused(ConnectionError, "postgres", **options, sslmode: "require")

      assert_match(/\Athe server does not support encryption, and sslmode=require requires it \(server 127\.0\.0\.1/, error.message)
      refute_predicate error, :retriable?
    end

    def test_cancelling_over_an_encrypted_connection
      connection = Postgres::Connector.connect(config("encrypted", sslmode: "verify-full", sslrootcert: authority.root))
      connection.io.write(BackendMessages.message("Q", "SELECT pg_sleep(60)\0"))
      Thread.pass until server.psql("SELECT wait_event FROM pg_stat_activity WHERE pid = #{connection.backend_pid}") == "PgSleep\n"
      Postgres.const_get(:Cancel).deliver(connection.endpoint, connection.backend_pid, connection.secret_key, deadline: nil)

      assert_includes connection.io.readpartial(1000), "\0C57014\0"
    ensure
      connection&.io&.close
    end

    def test_an_encrypted_connection_that_the_server_ends
      client("postgres", sslmode: "require") do |db|
        pid = db.value("SELECT pg_backend_pid()")
        server.terminate(pid)

        refute_equal pid, db.value("SELECT pg_backend_pid()")
      end
    end

    private

    def certificate(name) = { sslcert: authority.path("#{name}.crt"), sslkey: authority.path("#{name}.key") }
  end
end
