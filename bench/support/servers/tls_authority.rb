# frozen_string_literal: true

require "fileutils"
require "openssl"
require "tmpdir"

module Trunkline
  module Bench
    # A certificate authority of one's own: certificates for any name, kept as files in a folder that goes with the
    # process.
    #
    #   authority = TLSAuthority.shared
    #   authority.issue("server", names: ["DNS:localhost"])   # => server.crt and server.key in authority.folder
    class TLSAuthority
      DAY = 24 * 60 * 60
      private_constant :DAY

      @lock = Mutex.new

      # @return [TLSAuthority] the one that all share
      def self.shared = @lock.synchronize { @shared ||= new("a private authority") }

      # @return [String] where the files lie
      attr_reader :folder

      # @param name [String]
      def initialize(name)
        @folder = Dir.mktmpdir("authority-")
        owner = Process.pid
        at_exit { FileUtils.rm_rf(@folder) if Process.pid == owner }
        @name = OpenSSL::X509::Name.new([["CN", name]])
        @key = self.class.key
        @serial = 0
        @certificate = certificate(@name, @key, extensions: [["basicConstraints", "CA:TRUE", true], ["keyUsage", "keyCertSign, cRLSign", true]])
        write("root.crt", @certificate.to_pem)
      end

      # @return [OpenSSL::PKey::EC]
      def self.key = OpenSSL::PKey::EC.generate("prime256v1")

      # @return [String] file of the root certificate
      def root = path("root.crt")

      # Makes NAME.crt and NAME.key.
      #
      # @param name [String]
      # @param subject [String] common name
      # @param names [Array<String>] alternative names as OpenSSL writes them: "DNS:localhost", "IP:127.0.0.1"
      # @param from [Integer] days from now
      # @param to [Integer] days from now
      # @param key [OpenSSL::PKey::PKey]
      # @param digest [String] of the signature
      # @param passphrase [String, nil] of the key's file
      # @return [OpenSSL::X509::Certificate]
      def issue(name, subject: name, names: [], from: -1, to: 30, key: self.class.key, digest: "SHA256", passphrase: nil)
        extensions = names.empty? ? [] : [["subjectAltName", names.join(","), false]]
        certificate(OpenSSL::X509::Name.new([["CN", subject]]), key, extensions: extensions, from: from, to: to, digest: digest).tap do |issued|
          write("#{name}.crt", issued.to_pem)
          write("#{name}.key", passphrase ? key.to_pem(OpenSSL::Cipher.new("aes-256-cbc"), passphrase) : key.to_pem, 0o600)
        end
      end

      # What a server needs to be NAME, whose certificate is issued on the way.
      #
      # @param options [Hash] keywords of {#issue}
      # @return [OpenSSL::SSL::SSLContext]
      def server(name = "server", key: self.class.key, **options)
        OpenSSL::SSL::SSLContext.new.tap { |context| context.add_certificate(issue(name, key: key, **options), key) }
      end

      # Makes NAME.crl, a list of certificates that are not to be trusted any more.
      #
      # @param certificates [Array<String>] their names
      # @return [String] the file
      def revoke(name, *certificates)
        list = OpenSSL::X509::CRL.new
        list.version = 1
        list.issuer = @name
        list.last_update = Time.now - DAY
        list.next_update = Time.now + (30 * DAY)
        certificates.each { |certificate| list.add_revoked(revocation(certificate)) }
        write("#{name}.crl", list.sign(@key, "SHA256").to_pem)
      end

      # @return [String] path of a file
      def path(name) = File.join(folder, name)

      # @return [String] the file
      def write(name, contents, mode = 0o644)
        File.write(path(name), contents)
        File.chmod(mode, path(name))
        path(name)
      end

      private

      def certificate(subject, key, extensions:, from: -1, to: 30, digest: "SHA256")
        issued = OpenSSL::X509::Certificate.new
        issued.version = 2
        issued.serial = (@serial += 1)
        issued.subject = subject
        issued.issuer = @name
        issued.not_before = Time.now + (from * DAY)
        issued.not_after = Time.now + (to * DAY)
        issued.public_key = key
        factory = OpenSSL::X509::ExtensionFactory.new(@certificate || issued, issued)
        extensions.each { |extension| issued.add_extension(factory.create_extension(*extension)) }
        issued.sign(@key, digest)
      end

      def revocation(certificate)
        OpenSSL::X509::Revoked.new.tap do |revoked|
          revoked.serial = OpenSSL::X509::Certificate.load_file(path("#{certificate}.crt")).first.serial
          revoked.time = Time.now - DAY
        end
      end
    end
  end
end
