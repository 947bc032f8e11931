# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether the server accepts the application's login, with which role and method, and whether others could read the traffic.
      module Access # :nodoc:
        METHODS = { "none" => "without authentication", "password" => "by a password in the clear" }.freeze
        CHECKED = %w[verify-ca verify-full].freeze
        private_constant :METHODS, :CHECKED

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient)
          connection = Postgres::Connector.connect(patient.config)
          [greeting(patient.config, connection), secrecy(patient.config, connection.io), detour(connection.io)].compact
        ensure
          connection&.io&.close
        end

        def self.greeting(config, connection)
          method = connection.authentication
          [:fine, "PostgreSQL #{connection.parameters["server_version"]} at #{connection.server} lets #{config.user} in, " \
                  "#{METHODS.fetch(method) { "by #{method}" }}."]
        end

        def self.secrecy(config, io)
          return [:fine, "It is on this machine, over a Unix socket: no one else can listen."] if io.is_a?(UNIXSocket) || unix?(io)
          return encrypted(config, io) if io.is_a?(OpenSSL::SSL::SSLSocket)
          return [:fine, "Nothing is encrypted, and stays on this machine."] if io.remote_address.ipv4_loopback? || io.remote_address.ipv6_loopback?

          [:advice, "Nothing is encrypted: with sslmode=verify-full no one on the way can read it, or pretend to be the server."]
        end

        def self.detour(io)
          obstacle = Socket::TLS::Libssl.obstacle(io) if io.is_a?(OpenSSL::SSL::SSLSocket)
          [:advice, "Ruby's openssl reads and writes what is encrypted, which takes 2.5 times the processor time: #{obstacle}."] if obstacle
        end

        def self.unix?(io) = io.to_io.local_address.unix?

        def self.encrypted(config, io)
          how = "#{io.ssl_version} with #{io.cipher.first}"
          return [:fine, "It is encrypted, by #{how}, and the server's certificate is checked (sslmode=#{config.sslmode})."] if CHECKED.include?(config.sslmode)

          [:advice, "It is encrypted, by #{how}, but another machine could pretend to be the server: sslmode=verify-full checks its certificate."]
        end
        private_class_method :greeting, :secrecy, :detour, :unix?, :encrypted
      end
      private_constant :Access
    end
  end
end
