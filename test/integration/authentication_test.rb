# frozen_string_literal: true

require "test_helper"
require "support/open_sockets"

module Trunkline
  # Real servers, every way to authenticate, by Unix socket and by TCP.
  class AuthenticationIntegrationTest < TestCase
    include OpenSockets

    HBA = <<~CONF
      local all clear   password
      local all hashed  md5
      local all salted  scram-sha-256
      local all exotic  scram-sha-256
      local all outcast reject
      local all all     trust
      host  all clear   127.0.0.1/32 password
      host  all hashed  127.0.0.1/32 md5
      host  all salted  127.0.0.1/32 scram-sha-256
      host  all all     127.0.0.1/32 trust
    CONF

    ROLES = <<~SQL
      SET password_encryption = 'md5';
      CREATE ROLE hashed LOGIN PASSWORD 'pass word ä';
      SET password_encryption = 'scram-sha-256';
      CREATE ROLE clear LOGIN PASSWORD 'pass word ä';
      CREATE ROLE salted LOGIN PASSWORD 'pass word ä';
      CREATE ROLE trusted LOGIN;
      CREATE ROLE outcast LOGIN;
      CREATE ROLE limited LOGIN CONNECTION LIMIT 0;
      CREATE ROLE exotic LOGIN;
      CREATE DATABASE closed;
      REVOKE CONNECT ON DATABASE closed FROM PUBLIC;
    SQL

    # What SASLprep changes, forbids and does not know.
    PASSWORDS = ["\u2168", "e\u0301", "a\u00A0b", "a\u00ADb", "\u00AA\u0085", "e\u0301\u{1F600}", "\u0627\u00A01", "'\"\\%", " x "].freeze

    private_constant :HBA, :ROLES, :PASSWORDS

    @lock = Mutex.new

    def self.server
      @lock.synchronize { @server ||= Bench::PostgresServer.start(hba: HBA).tap { |server| server.psql(ROLES) } }
    end

    def server = self.class.server

    def connect(user, password = nil, tcp: false, dbname: "postgres", **keywords)
      uri = tcp ? server.tcp_uri(dbname: dbname, user: user) : server.uri(dbname: dbname, user: user)
      connection = Postgres::Connector.connect(Config.new(uri, env: {}, password: password, connect_timeout: 60, **keywords))
      yield connection if block_given?
      connection
    ensure
      connection&.io&.close
    end

    def test_trust
      connect("trusted") do |connection|
        assert_equal "UTF8", connection.parameters["client_encoding"]
        assert_match(/\AISO/, connection.parameters["DateStyle"])
        assert_equal "postgres", connection.parameters["IntervalStyle"]
        assert_operator connection.backend_pid, :>, 0
        assert_equal 4, connection.secret_key.bytesize
        assert_empty connection.leftover
        assert_predicate connection.parameters["server_version"].to_i, :positive?
      end
    end

    def test_the_right_password
      %w[clear hashed salted].product([false, true]) do |user, tcp|
        assert connect(user, "pass word ä", tcp: tcp), user
      end
    end

    def test_the_right_password_as_bytes_and_from_a_callable
      %w[clear hashed salted].each do |user|
        assert connect(user, "pass word ä".b), user
        assert connect(user, -> { "pass word ä" }), user
      end
    end

    # The server tells the name of the role at login, and has it in bytes that are none of this database's encoding.
    def test_a_role_whose_name_is_not_in_the_encoding_of_the_database
      server.psql("CREATE ROLE \"р日\" LOGIN")
      server.psql("CREATE DATABASE korean TEMPLATE template0 ENCODING 'EUC_KR' LC_COLLATE 'C' LC_CTYPE 'C'")
      assert connect("р日")
      error = assert_no_socket_left { assert_raises(CharacterNotInRepertoire) { connect("р日", dbname: "korean") } }
      assert_match(/role.*ALTER ROLE .* RENAME TO .*UTF8/, error.hint)
    end

    def test_a_wrong_password
      %w[clear hashed salted].product([false, true]) do |user, tcp|
        error = assert_no_socket_left { assert_raises(InvalidPassword) { connect(user, "wr0ng", tcp: tcp) } }

        assert_equal "28P01", error.sqlstate
        assert_equal "FATAL", error.severity
        assert_match(/\Apassword authentication failed for user "#{user}" \(SQLSTATE 28P01; server .*\/postgres\)\z/, error.message)
        refute_includes error.full_message, "wr0ng"
      end
    end

    def test_no_password_where_one_is_wanted
      %w[clear hashed salted].each do |user|
        error = assert_no_socket_left { assert_raises(ConnectionError) { connect(user) } }

        assert_match(/\Athe server requests a password for user "#{user}", and none is given \(server /, error.message)
      end
    end

    def test_passwords_that_look_different_to_each_side
      PASSWORDS.each do |password|
        server.psql("ALTER ROLE exotic PASSWORD '#{password.gsub("'", "''")}'")

        assert connect("exotic", password), password.inspect
      end
    end

    def test_an_unknown_database
      error = assert_no_socket_left { assert_raises(InvalidCatalogName) { connect("trusted", dbname: "nowhere") } }

      assert_match(/\Adatabase "nowhere" does not exist \(SQLSTATE 3D000; server .*\/nowhere\)\z/, error.message)
    end

    def test_an_unknown_user
      assert_raises(InvalidAuthorizationSpecification) { connect("stranger") }
    end

    # Nothing was sent, so nothing of the statement is meant: not even where a statement could fail with the same code.
    def test_what_is_refused_at_login_is_an_error_of_the_connection
      { "28P01" => [{ user: "salted" }, { password: "wrong" }], "28000" => [{ user: "outcast" }, {}], "3D000" => [{ user: "trusted", dbname: "nowhere" }, {}],
        "42501" => [{ user: "trusted", dbname: "closed" }, {}], "42704" => [{ user: "trusted" }, { options: "-c nowhere=1" }] }.each do |sqlstate, (place, options)|
        Trunkline.postgres(server.uri(**place), **options) do |db|
          error = assert_raises(LoginError) { db.query("SELECT 1") }
          assert_equal [sqlstate, false, false, sqlstate], [error.sqlstate, error.sent?, error.retriable?, error.cause.sqlstate]
          assert_kind_of ConnectionError, error
          assert_match(/\(SQLSTATE #{sqlstate}; server /, error.message)
          assert_equal "FATAL", error.fields[:severity]
        end
      end
    end

    def test_a_full_server_is_another_matter
      Trunkline.postgres(server.uri(user: "limited"), max_wait: 0.1) do |db|
        error = assert_raises(TooManyConnections) { db.query("SELECT 1") }
        assert_equal [false, true], [error.sent?, error.retriable?]
      end
    end

    def test_a_rejected_user
      error = assert_raises(InvalidAuthorizationSpecification) { connect("outcast") }

      assert_includes error.message, "pg_hba.conf rejects connection"
    end

    def test_too_many_connections
      error = assert_raises(TooManyConnections) { connect("limited") }

      assert_predicate error, :retriable?
    end

    def test_the_application_name
      connect("trusted", application_name: "from the test") do |connection|
        assert_equal "from the test", connection.parameters["application_name"]
        assert_equal "from the test\n", server.psql("SELECT application_name FROM pg_stat_activity WHERE pid = #{connection.backend_pid}")
      end
    end

    def test_a_server_that_is_not_there
      with_server do |gone|
        uri = gone.tcp_uri
        gone.stop
        error = assert_raises(ConnectionError) { Postgres::Connector.connect(Config.new(uri, env: {})) }

        assert_match(/127\.0\.0\.1: connection refused \(is the server running there/, error.message)
      end
    end
  end
end
