# frozen_string_literal: true

require_relative "postgres_server"
require_relative "tls_authority"

module Trunkline
  module Bench
    # A private PostgreSQL that encrypts, with a certificate for "localhost" and 127.0.0.1.
    module TLSServer
      NAMES = %w[DNS:localhost IP:127.0.0.1].freeze
      private_constant :NAMES

      module_function

      # @param authority [TLSAuthority] issues the certificate, and is the one whose clients are believed
      # @param settings [Hash] see {PostgresServer.start}
      # @param hba [String, nil] see {PostgresServer.start}
      # @return [PostgresServer]
      def start(authority: TLSAuthority.shared, settings: {}, hba: nil)
        authority.issue("server", names: NAMES)
        PostgresServer.start(hba: hba, settings: {
          "ssl" => "on", "ssl_cert_file" => authority.path("server.crt"), "ssl_key_file" => key(authority),
          "ssl_ca_file" => authority.root, **settings
        })
      end

      # The server runs under another account, and must be the only one to read its key.
      def key(authority)
        account = File.stat(Keeper.instance.folder)
        File.chmod(0o755, authority.folder)
        File.chown(account.uid, account.gid, authority.path("server.key"))
        authority.path("server.key")
      end
      private_class_method :key
    end
  end
end
