# frozen_string_literal: true

require "openssl"

module Trunkline
  # Messages of a PostgreSQL server during a handshake, and the server's side of SCRAM.
  module BackendMessages
    module_function

    def message(type, body = "") = [type, body.bytesize + 4, body.b].pack("aNa*")

    def authentication(code, data = "") = message("R", [code].pack("N") + data.b)

    def parameter(name, value) = message("S", "#{name}\0#{value}\0")

    def key(pid = 4711, secret = "\x01\x02\x03\x04".b) = message("K", [pid].pack("N") + secret)

    def ready(status = "I") = message("Z", status)

    def error(type = "E", **fields) = message(type, "#{fields.map { |letter, text| "#{letter}#{text}\0" }.join}\0")

    # Everything after AuthenticationOk.
    def session = parameter("server_version", "15.4") + parameter("client_encoding", "UTF8") + key + ready

    # A server with a password, for one SCRAM-SHA-256 exchange.
    class ScramServer
      attr_accessor :iterations, :salt

      # @return [String] the client's header for channel binding
      attr_reader :header

      # @param password [String]
      # @param binding [String] what a bound proof must be bound to
      def initialize(password, binding: "")
        @password = password.b
        @binding = binding.b
        @iterations = 8
        @salt = "salt of 16 bytes".b
      end

      # @param client_first [String] body of SASLInitialResponse
      # @return [String] server-first-message
      def challenge(client_first)
        @header, @bare = client_first.split("\0", 2)[1].byteslice(4..).match(/\A([^,]*,,)(.*)\z/m).captures
        @first = "#{@bare[/r=(.*)/]}server,s=#{[salt].pack("m0")},i=#{iterations}"
      end

      # @param client_final [String] body of SASLResponse
      # @return [String, nil] server-final-message; nil when the proof is wrong
      def final(client_final)
        without_proof, proof = client_final.split(",p=")
        return unless without_proof.start_with?("c=#{[header + (header.start_with?("p=") ? @binding : "")].pack("m0")},")

        salted = OpenSSL::KDF.pbkdf2_hmac(@password, salt: salt, iterations: iterations, length: 32, hash: "sha256")
        transcript = "#{@bare},#{@first},#{without_proof}"
        client_key = hmac(salted, "Client Key")
        expected = xor(client_key, hmac(OpenSSL::Digest.digest("SHA256", client_key), transcript))
        "v=#{[hmac(hmac(salted, "Server Key"), transcript)].pack("m0")}" if proof == [expected].pack("m0")
      end

      private

      def hmac(key, text) = OpenSSL::HMAC.digest("SHA256", key, text)

      def xor(one, other) = one.bytes.zip(other.bytes).map { |a, b| a ^ b }.pack("C*")
    end
  end
end
