# frozen_string_literal: true

require_relative "../../bench/support/servers/tls_server"
require_relative "private_servers"
require_relative "tls_authority"

module Trunkline
  # Real servers that encrypt, with certificates of the tests' own authority.
  module TLSServers
    # How users may connect. Unix sockets are for the tests themselves.
    HBA = <<~CONF
      local     all all       trust
      hostssl   all encrypted 127.0.0.1/32 scram-sha-256
      hostnossl all clear     127.0.0.1/32 trust
      hostssl   all certified 127.0.0.1/32 cert
      hostssl   all vouched   127.0.0.1/32 trust clientcert=verify-ca
      hostssl   all hashed    127.0.0.1/32 md5
      host      all salted    127.0.0.1/32 scram-sha-256
      host      all postgres  127.0.0.1/32 trust
      hostssl   all clear     127.0.0.1/32 reject
      hostssl   all all       127.0.0.1/32 trust
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
      @lock.synchronize { @postgres ||= Bench::TLSServer.start(hba: HBA, settings: { "max_connections" => "200", "max_prepared_transactions" => "4" }).tap { |server| server.psql(ROLES) } }
    end
  end
end
