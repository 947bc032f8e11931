# frozen_string_literal: true

require_relative "../../bench/support/servers/keeper"
require_relative "private_servers"
require_relative "tls_authority"

module Trunkline
  # Real servers that encrypt, with certificates of the tests' own authority.
  module TLSServers
    # Who may come how. Unix sockets are for the tests themselves.
    HBA = <<~CONF
      local     all all       trust
      hostssl   all encrypted 127.0.0.1/32 scram-sha-256
      hostnossl all clear     127.0.0.1/32 trust
      hostssl   all certified 127.0.0.1/32 cert
      hostssl   all vouched   127.0.0.1/32 trust clientcert=verify-ca
      hostssl   all hashed    127.0.0.1/32 md5
      host      all salted    127.0.0.1/32 scram-sha-256
      host      all postgres  127.0.0.1/32 trust
    CONF

    ROLES = <<~SQL
      CREATE ROLE encrypted LOGIN PASSWORD 'secret';
      CREATE ROLE salted LOGIN PASSWORD 'secret';
      CREATE ROLE clear LOGIN;
      CREATE ROLE certified LOGIN;
      CREATE ROLE vouched LOGIN;
      SET password_encryption = 'md5';
      CREATE ROLE hashed LOGIN PASSWORD 'secret';
    SQL

    @lock = Mutex.new

    # @return [Bench::PostgresServer] the one that all tests share, for "localhost" and 127.0.0.1
    def self.postgres
      @lock.synchronize { @postgres ||= start.tap { |server| server.psql(ROLES) } }
    end

    # @return [Bench::PostgresServer]
    def self.start
      authority = TLSAuthority.shared
      authority.issue("server", names: %w[DNS:localhost IP:127.0.0.1])
      Bench::PostgresServer.start(hba: HBA, settings: { "ssl" => "on", "max_connections" => "100",
                                                        "ssl_cert_file" => authority.path("server.crt"), "ssl_key_file" => key(authority),
                                                        "ssl_ca_file" => authority.root })
    end

    # The server runs under another account, and must be the only one to read its key.
    def self.key(authority)
      account = File.stat(Bench::Keeper.instance.folder)
      File.chmod(0o755, authority.folder)
      File.chown(account.uid, account.gid, authority.path("server.key"))
      authority.path("server.key")
    end
    private_class_method :start, :key
  end
end
