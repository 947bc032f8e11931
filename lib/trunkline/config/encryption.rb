# frozen_string_literal: true

module Trunkline
  class Config
    # What is asked of TLS, of authentication and of the protocol. Files are named, not looked at.
    module Encryption
      # @return [String] disable, allow, prefer, require, verify-ca or verify-full; Unix sockets are never encrypted
      attr_reader :sslmode

      # @return [String] postgres: ask first; direct: start with TLS
      attr_reader :sslnegotiation

      # @return [Boolean] taken note of; no OpenSSL of today compresses
      attr_reader :sslcompression

      # @return [String] disable: send no certificate; allow: send it if asked; require: the server must ask
      attr_reader :sslcertmode

      # @return [String, nil] file of the client's certificate; where none is given, that in ~/.postgresql, which need not
      #   be there
      attr_reader :sslcert

      # @return [String, nil] file of the client's private key; found as {#sslcert}
      attr_reader :sslkey

      # @return [String, nil] file of trusted root certificates, or "system"; found as {#sslcert}
      attr_reader :sslrootcert

      # @return [String, nil] file of revoked certificates; found as {#sslcert}
      attr_reader :sslcrl

      # @return [String, nil] directory of revoked certificates
      attr_reader :sslcrldir

      # @return [Boolean] whether the server's name is told in the clear
      attr_reader :sslsni

      # @return [String] TLSv1, TLSv1.1, TLSv1.2 or TLSv1.3
      attr_reader :ssl_min_protocol_version

      # @return [String, nil] as {#ssl_min_protocol_version}; nil: the newest
      attr_reader :ssl_max_protocol_version

      # @return [String] disable, prefer or require
      attr_reader :channel_binding

      # @return [Array<String>, nil] the allowed of password, md5, gss, sspi, scram-sha-256, oauth and none; nil: any
      attr_reader :require_auth

      # @return [String] 3.0 or 3.2
      attr_reader :min_protocol_version

      # @return [String] 3.0 or 3.2
      attr_reader :max_protocol_version

      # @return [String, nil] passphrase of the private key
      attr_reader :sslpassword

      # The files of ~/.postgresql.
      FILES = { sslcert: "postgresql.crt", sslkey: "postgresql.key", sslrootcert: "root.crt", sslcrl: "root.crl" }.freeze

      # Methods of authentication that are refused.
      UNSUPPORTED = %w[gss sspi oauth].freeze
      private_constant :FILES, :UNSUPPORTED

      private

      def assign_encryption(home)
        FILES.each do |name, file|
          instance_variable_set(:"@#{name}", "#{home}/.postgresql/#{file}".freeze) if home && !instance_variable_get(:"@#{name}")
        end
        @min_protocol_version = "3.2" if @min_protocol_version == "latest"
        @max_protocol_version = "3.2" if @max_protocol_version == "latest"
        @max_protocol_version ||= @min_protocol_version
        strengthen
        check_encryption
      end

      # The system's roots vouch for every name, so the name must be the server's.
      def strengthen
        @sslmode = "verify-full" if @sslrootcert == "system" && source(:sslmode) == "default"
      end

      def check_encryption
        if @sslrootcert == "system" && @sslmode != "verify-full"
          refuse(:sslmode, "must be verify-full with sslrootcert=system")
        end
        if @sslnegotiation == "direct" && %w[disable allow prefer].include?(@sslmode)
          refuse(:sslmode, "must be require, verify-ca or verify-full with sslnegotiation=direct")
        end
        refuse(:require_auth, "allows only GSSAPI, SSPI or OAuth, which are not supported") if require_auth && (require_auth - UNSUPPORTED).empty?
        check_range(:ssl_min_protocol_version, :ssl_max_protocol_version)
        check_range(:min_protocol_version, :max_protocol_version)
      end

      def check_range(min, max)
        lowest, highest = [min, max].map { |name| instance_variable_get(:"@#{name}") }
        refuse(max, "is lower than #{min}") if highest && highest < lowest
      end
    end

    private_constant :Encryption
  end
end
