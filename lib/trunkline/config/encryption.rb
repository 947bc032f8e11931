# frozen_string_literal: true

module Trunkline
  class Config
    # Options of TLS, authentication and the protocol version. Files are not read here.
    module Encryption
      # @return [String] disable, allow, prefer, require, verify-ca or verify-full; Unix sockets are never encrypted
      def sslmode = @values["sslmode"]

      # @return [String] postgres: send SSLRequest first; direct: start with TLS
      def sslnegotiation = @values["sslnegotiation"]

      # @return [Boolean] without effect; no current OpenSSL compresses
      def sslcompression = @values["sslcompression"]

      # @return [String] disable: send no certificate; allow: send it if requested; require: the server must request it
      def sslcertmode = @values["sslcertmode"]

      # @return [String, nil] file of the client's certificate; by default, that in ~/.postgresql, which need not exist
      def sslcert = @values["sslcert"]

      # @return [String, nil] file of the client's private key; default as for {#sslcert}
      def sslkey = @values["sslkey"]

      # @return [String, nil] file of trusted root certificates, or "system"; default as for {#sslcert}
      def sslrootcert = @values["sslrootcert"]

      # @return [String, nil] file of revoked certificates; default as for {#sslcert}
      def sslcrl = @values["sslcrl"]

      # @return [String, nil] directory of revoked certificates
      def sslcrldir = @values["sslcrldir"]

      # @return [Boolean] whether the server's name is sent in the clear (SNI)
      def sslsni = @values["sslsni"]

      # @return [String] TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3
      def ssl_min_protocol_version = @values["ssl_min_protocol_version"]

      # @return [String, nil] as {#ssl_min_protocol_version}; nil: the newest
      def ssl_max_protocol_version = @values["ssl_max_protocol_version"]

      # @return [String] disable, prefer or require
      def channel_binding = @values["channel_binding"]

      # @return [Array<String>, nil] the allowed of password, md5, gss, sspi, scram-sha-256, oauth and none; nil: any
      def require_auth = @values["require_auth"]

      # @return [String] 3.0 or 3.2
      def min_protocol_version = @values["min_protocol_version"]

      # @return [String] 3.0 or 3.2
      def max_protocol_version = @values["max_protocol_version"]

      # @return [String, nil] passphrase of the private key
      def sslpassword = @values["sslpassword"]

      # The files of ~/.postgresql.
      FILES = { "sslcert" => "postgresql.crt", "sslkey" => "postgresql.key", "sslrootcert" => "root.crt", "sslcrl" => "root.crl" }.freeze

      # Authentication methods that are not supported.
      UNSUPPORTED = %w[gss sspi oauth].freeze
      private_constant :FILES, :UNSUPPORTED

      private

      # The system's root certificates apply to every name, so the server's name must be verified.
      def complete_encryption(values, home)
        FILES.each { |name, file| values[name] ||= "#{home}/.postgresql/#{file}".freeze } if home
        %w[min_protocol_version max_protocol_version].each { |name| values[name] = "3.2" if values[name] == "latest" }
        values["max_protocol_version"] ||= values["min_protocol_version"]
        values["sslmode"] = "verify-full" if values["sslrootcert"] == "system" && source("sslmode") == "default"
        values
      end

      def check_encryption
        if sslrootcert == "system" && sslmode != "verify-full"
          refuse(:sslmode, "must be verify-full with sslrootcert=system")
        end
        if sslnegotiation == "direct" && %w[disable allow prefer].include?(sslmode)
          refuse(:sslmode, "must be require, verify-ca or verify-full with sslnegotiation=direct")
        end
        refuse(:require_auth, "allows only GSSAPI, SSPI or OAuth, which are not supported") if require_auth && (require_auth - UNSUPPORTED).empty?
        check_range("ssl_min_protocol_version", "ssl_max_protocol_version")
        check_range("min_protocol_version", "max_protocol_version")
      end

      def check_range(min, max)
        lowest, highest = @values.values_at(min, max)
        refuse(max, "is lower than #{min}") if highest && highest < lowest
      end
    end

    private_constant :Encryption
  end
end
