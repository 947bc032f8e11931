# frozen_string_literal: true

require "openssl"
require_relative "../../errors"

module Trunkline
  module Socket
    module TLS
      # Whose certificates are believed.
      module Trust
        REVOCATION = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
        private_constant :REVOCATION

        module_function

        # @param roots [String] file of trusted certificates, or "system" for those of this machine
        # @param revoked [Array<String>] files of revoked certificates
        # @param revoked_directory [String, nil] directory of such files, named by hashes
        # @return [OpenSSL::X509::Store]
        # @raise [ConfigError] a file cannot be used
        def store(roots, revoked: [], revoked_directory: nil)
          store = OpenSSL::X509::Store.new
          roots == "system" ? store.set_default_paths : add(store, roots, "root certificates")
          revoked.each { |file| add(store, file, "revoked certificates") }
          store.add_path(revoked_directory) if revoked_directory
          store.flags = REVOCATION if revoked.any? || revoked_directory
          store
        end

        def add(store, file, what)
          store.add_file(file)
        rescue OpenSSL::X509::StoreError => error
          raise ConfigError, "the #{what} in #{file} cannot be read: #{error.message}"
        end

        private_class_method :add
      end
    end
  end
end
