# frozen_string_literal: true

require "openssl"
require "securerandom"

module Trunkline
  module PG
    # A password in the form that a server stores, for ALTER ROLE ... PASSWORD: neither the statement nor the server's log contains it in clear text.
    module EncryptedPassword # :nodoc:
      # The server's defaults: iterations, and the length of the salt in bytes.
      ITERATIONS = 4096
      SALT_BYTES = 16
      private_constant :ITERATIONS, :SALT_BYTES

      # @param algorithm [String] "md5" or "scram-sha-256"
      # @return [String, nil] nil: there is no such algorithm
      # @raise [TypeError] one of them is not a String
      def self.of(password, role, algorithm)
        [password, role, algorithm].each { |text| raise TypeError, "wrong argument type #{text.class} (expected String)" unless text.is_a?(String) }
        case algorithm
        when "md5" then "md5#{OpenSSL::Digest.hexdigest("MD5", password + role)}"
        when "scram-sha-256" then scram(Postgres.const_get(:Authentication).const_get(:SASLprep).call(password))
        end
      end

      # The form of RFC 5803.
      def self.scram(password)
        salt = SecureRandom.bytes(SALT_BYTES)
        salted = OpenSSL::KDF.pbkdf2_hmac(password, salt: salt, iterations: ITERATIONS, length: 32, hash: "SHA256")
        client, server = ["Client Key", "Server Key"].map { |text| OpenSSL::HMAC.digest("SHA256", salted, text) }
        stored = OpenSSL::Digest.digest("SHA256", client)
        "SCRAM-SHA-256$#{ITERATIONS}:#{[salt].pack("m0")}$#{[stored].pack("m0")}:#{[server].pack("m0")}"
      end
      private_class_method :scram
    end
    private_constant :EncryptedPassword
  end
end
