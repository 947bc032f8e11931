# frozen_string_literal: true

# What the newer servers can and PostgreSQL 15 cannot: `rake newer` runs this for each of them.

require "test_helper"
require "support/backend_messages"
require "support/tls_authority"
require "trunkline/postgres/connect/cancel"
require_relative "../../rakelib/debian_root"
require_relative "rooted_server"

module Trunkline
  class NewerServersTest < TestCase
    ROOT = DebianRoot.new(ARGV[0], Integer(ARGV[1]))
    NEWEST = ROOT.postgres >= 18
    CLEAR = { sslmode: "disable" }.freeze
    private_constant :ROOT, :NEWEST, :CLEAR

    @lock = Mutex.new

    def self.server
      @lock.synchronize { @server ||= start }
    end

    def self.start
      RootedServer.new(ROOT).start.tap do |server|
        Minitest.after_run { server.stop }
        server.psql("CREATE ROLE salted LOGIN PASSWORD 'secret'")
      end
    end
    private_class_method :start

    def server = self.class.server

    def encrypted = { sslmode: "verify-full", sslrootcert: TLSAuthority.shared.root }

    def direct = { **encrypted, sslnegotiation: "direct" }

    def ways = [CLEAR, encrypted, direct]

    def options(**more) = { host: "localhost", port: server.port, user: "postgres", password: "secret", dbname: "postgres", **more }

    def connect(**more)
      connection = Postgres::Connector.connect(Config.new(env: {}, **options(**more)))
      yield connection
    ensure
      connection&.io&.close
    end

    def test_it_is_the_one_that_is_meant
      connect { |connection| assert_equal ROOT.postgres, connection.parameters["server_version"].to_i }
    end

    def test_every_way_to_encrypt
      ways.product(%w[postgres salted]).each do |way, user|
        Trunkline.postgres(nil, **options(user: user, **way)) do |db|
          assert_equal way != CLEAR, db.value("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
          assert_equal (1..100).to_a, Array.new(100) { |number| db.async("SELECT $1::int", number + 1) }.map { |future| future.value.value }
          assert_equal 1_000_000, db.value("SELECT repeat('x', 1000000)").size
        end
      end
    end

    def test_proofs_bound_to_the_certificate
      [encrypted, direct].each do |way|
        connect(user: "salted", channel_binding: "require", require_auth: "scram-sha-256", **way) { |connection| assert connection.backend_pid }
      end
    end

    def test_the_length_of_keys_depends_on_the_protocol
      ways.each do |way|
        connect(**way) { |connection| assert_equal 4, connection.secret_key.bytesize }
        connect(max_protocol_version: "latest", **way) { |connection| assert_equal NEWEST ? 32 : 4, connection.secret_key.bytesize }
      end
    end

    def test_the_newer_protocol_can_be_insisted_on
      return connect(min_protocol_version: "3.2") { |connection| assert_equal 32, connection.secret_key.bytesize } if NEWEST

      error = assert_raises(ConnectionError) { connect(min_protocol_version: "3.2") }
      assert_match(/\Athe server speaks protocol 3\.0, and min_protocol_version is 3\.2/, error.message)
    end

    def test_cancelling_with_keys_of_both_lengths
      ways.product(%w[3.0 3.2]).each do |way, version|
        connect(max_protocol_version: version, **way) do |connection|
          connection.io.write(BackendMessages.message("Q", "SELECT pg_sleep(60)\0"))
          Thread.pass until server.psql("SELECT wait_event FROM pg_stat_activity WHERE pid = #{connection.backend_pid}") == "PgSleep\n"
          Postgres.const_get(:Cancel).deliver(connection.endpoint, connection.backend_pid, connection.secret_key, deadline: nil)

          assert_includes connection.io.readpartial(1000), "\0C57014\0"
        end
      end
    end
  end
end
