# frozen_string_literal: true

require "openssl"
require_relative "../../errors"

module Trunkline
  module Socket
    module TLS
      # A client's certificate and its private key, with the intermediate certificates up to a root that the server trusts. The rules for the key's
      # file are libpq's.
      class ClientCertificate
        # @return [OpenSSL::X509::Certificate]
        attr_reader :certificate

        # @return [OpenSSL::PKey::PKey]
        attr_reader :key

        # @return [Array<OpenSSL::X509::Certificate>]
        attr_reader :chain

        # @param file [String] of the certificate and its chain, in PEM
        # @param key_file [String, nil] in PEM or DER
        # @param passphrase [String, nil]
        # @return [ClientCertificate, nil] nil: the file does not exist
        # @raise [ConfigError] a file is invalid
        def self.load(file, key_file, passphrase)
          new(file, key_file, passphrase) if File.exist?(file)
        end

        def initialize(file, key_file, passphrase)
          @certificate, *@chain = certificates(file)
          @key = private_key(key_file, passphrase, file)
          refuse("the private key #{key_file} does not belong to the certificate #{file}") unless certificate.check_private_key(key)
        end

        # @return [String] without the key
        def inspect = "#<#{self.class} #{certificate.subject}>"

        private

        def certificates(file)
          OpenSSL::X509::Certificate.load_file(file)
        rescue SystemCallError, OpenSSL::X509::CertificateError => error
          refuse("the certificate #{file} cannot be read: #{error.message}")
        end

        # Without a passphrase, OpenSSL would prompt for one on the terminal.
        def private_key(file, passphrase, certificate_file)
          refuse("there is the certificate #{certificate_file}, but not its private key (sslkey)") unless file && File.exist?(file)
          check_access(File.stat(file), file)
          OpenSSL::PKey.read(File.binread(file), passphrase || "")
        rescue SystemCallError, OpenSSL::PKey::PKeyError => error
          refuse("the private key #{file} cannot be read#{" (is sslpassword right?)" if error.is_a?(OpenSSL::PKey::PKeyError)}: #{error.message}")
        end

        def check_access(stat, file)
          refuse("the private key #{file} is no file") unless stat.file?
          return if (stat.mode & (stat.uid.zero? ? 0o037 : 0o077)).zero?

          refuse("others may read the private key #{file}: its mode must be 0600 or less, or 0640 where root owns it")
        end

        def refuse(message)
          raise ConfigError, message
        end
      end
    end
  end
end
