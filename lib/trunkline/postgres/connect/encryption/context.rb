# frozen_string_literal: true

require "openssl"
require_relative "../../../errors"
require_relative "../../../socket/tls/client_certificate"
require_relative "../../../socket/tls/identity"
require_relative "../../../socket/tls/trust"

module Trunkline
  module Postgres
    class Encryption
      # The SSLContext of one connection. Files are read each time, as certificates are renewed.
      class Context
        # The ALPN name of PostgreSQL's protocol.
        PROTOCOL = "postgresql"

        VERSIONS = { "TLSv1" => :TLS1, "TLSv1.1" => :TLS1_1, "TLSv1.2" => :TLS1_2, "TLSv1.3" => :TLS1_3 }.freeze

        # No renegotiation; no compression, which leaks information about the data; a missing close_notify is accepted. Not every version of OpenSSL
        # needs these.
        OPTIONS = %i[OP_NO_RENEGOTIATION OP_NO_COMPRESSION OP_IGNORE_UNEXPECTED_EOF]
                  .select { |name| OpenSSL::SSL.const_defined?(name) }.map { |name| OpenSSL::SSL.const_get(name) }.inject(:|)
        private_constant :VERSIONS, :OPTIONS

        # @return [String, nil] why the server's certificate was rejected
        attr_reader :distrust

        # @return [Time, nil] until when all certificates of the server's chain are valid; nil: none was verified
        attr_reader :valid_until

        # @return [OpenSSL::X509::Certificate, nil] the client's own, once {#build} has read it; nil: none is sent
        attr_reader :certificate

        # @param config [Config]
        def initialize(config)
          @config = config
          @certificate_requested = config.sslcertmode != "require"
          @distrust = @valid_until = @certificate = nil
        end

        # @return [Boolean] whether the server requested the client's certificate; true if that does not matter
        def certificate_requested? = @certificate_requested

        # @return [Boolean] whether certificates are compared with lists of revoked ones
        def revocation? = !@config.sslcrldir.nil? || revoked.any?

        # @return [OpenSSL::SSL::SSLContext]
        # @raise [ConfigError] a file cannot be used
        def build
          context = OpenSSL::SSL::SSLContext.new
          context.options |= OPTIONS
          context.min_version = VERSIONS[@config.ssl_min_protocol_version]
          context.max_version = VERSIONS[@config.ssl_max_protocol_version]
          context.alpn_protocols = [PROTOCOL]
          trust(context)
          introduce(context)
          context
        end

        private

        # Root certificates are verified in every mode that encrypts, as with libpq.
        def trust(context)
          roots = @config.sslrootcert
          if roots == "system" || (roots && File.exist?(roots))
            context.cert_store = Socket::TLS::Trust.store(roots, revoked: revoked, revoked_directory: @config.sslcrldir)
            context.verify_mode = OpenSSL::SSL::VERIFY_PEER
            context.verify_callback = method(:verify)
          elsif @config.sslmode.start_with?("verify")
            refuse("sslmode=#{@config.sslmode} needs root certificates, and there is no file #{roots || "~/.postgresql/root.crt"}: " \
                   "name one by sslrootcert, or trust this machine's by sslrootcert=system")
          end
        end

        # The list in the home directory is optional, and does not apply to the system's roots. A list that was specified does.
        def revoked
          file = @config.sslcrl
          return [*file] unless file && @config.source(:sslcrl) == "default"

          @config.sslcrldir || @config.sslrootcert == "system" || !File.exist?(file) ? [] : [file]
        end

        def verify(believed, store_context)
          if believed
            @valid_until = [@valid_until, store_context.current_cert.not_after].compact.min
          else
            @distrust ||= "the server's certificate is not trusted: #{store_context.error_string}"
          end
          believed
        end

        def introduce(context)
          return if @config.sslcertmode == "disable"

          own = @config.sslcert && Socket::TLS::ClientCertificate.load(@config.sslcert, @config.sslkey, @config.sslpassword)
          return refuse_without_certificate unless own

          @certificate = own.certificate
          context.extra_chain_cert = own.chain
          context.client_cert_cb = lambda do |_|
            @certificate_requested = true
            [own.certificate, own.key]
          end
        end

        def refuse_without_certificate
          refuse("sslcertmode=require needs a client certificate (sslcert), and there is none") if @config.sslcertmode == "require"
        end

        def refuse(message)
          raise ConfigError, message
        end
      end

      private_constant :Context
    end
  end
end
