# frozen_string_literal: true

require "openssl"
require_relative "../../errors"

module Trunkline
  module Socket
    module TLS
      # Stores of trusted certificates.
      module Trust
        REVOCATION = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
        # How many stores are cached: a bound on memory; each combination of files has one.
        MOST = 8
        private_constant :REVOCATION, :MOST

        @kept = {}

        module_function

        # A machine's roots take a tenth of a second to read, so stores are cached until their file changes; those with revoked certificates are not,
        # as these files grow.
        #
        # @param roots [String] file of trusted certificates, or "system" for those of this machine
        # @param revoked [Array<String>] files of revoked certificates
        # @param revoked_directory [String, nil] directory of such files, named by hashes
        # @return [OpenSSL::X509::Store]
        # @raise [ConfigError] a file is invalid
        def store(roots, revoked: [], revoked_directory: nil)
          return kept(roots) if revoked.empty? && revoked_directory.nil?

          store = read(roots)
          revoked.each { |file| add(store, file, "revoked certificates") }
          store.add_path(revoked_directory) if revoked_directory
          store.flags = REVOCATION
          store
        end

        # Two threads may both read a file; one of the stores is dropped.
        def kept(roots)
          stat = File.stat(roots == "system" ? system_file : roots)
          key = [roots, stat.ino, stat.size, stat.mtime]
          @kept[key] || read(roots).tap { |store| @kept = { **@kept.to_a.last(MOST - 1).to_h, key => store } }
        rescue SystemCallError
          read(roots)
        end

        def system_file = ENV.fetch("SSL_CERT_FILE", OpenSSL::X509::DEFAULT_CERT_FILE)

        def read(roots)
          store = OpenSSL::X509::Store.new
          roots == "system" ? store.set_default_paths : add(store, roots, "root certificates")
          store
        end

        def add(store, file, what)
          store.add_file(file)
        rescue OpenSSL::X509::StoreError => error
          raise ConfigError, "the #{what} in #{file} cannot be read: #{error.message}"
        end

        private_class_method :kept, :system_file, :read, :add
      end
    end
  end
end
