# frozen_string_literal: true

require "openssl"
require "securerandom"
require_relative "saslprep"

module Trunkline
  module Postgres
    class Authentication
      # SCRAM-SHA-256 (RFC 5802, RFC 7677): both sides prove that they know the password, without sending it.
      #
      # The user's name stays empty, as the server uses the one of the startup message.
      class SCRAM
        MECHANISM = "SCRAM-SHA-256"
        KEY_LENGTH = 32 # bytes of a SHA-256 hash

        # The server chooses the number of iterations, and the client computes them before it knows whether this is its server; a million take about a
        # third of a second in which nothing else runs. PostgreSQL's default is 4096, the strictest recommendation for this hash is 600,000.
        MAX_ITERATIONS = 1_000_000

        private_constant :KEY_LENGTH, :MAX_ITERATIONS

        # @param password [String]
        # @param header [String] the GS2 header: see {ChannelBinding#header}
        # @param binding [String] data of the channel binding
        # @param nonce [String] printable ASCII without a comma
        def initialize(password, header: "n,,", binding: "", nonce: SecureRandom.base64(18))
          @password = SASLprep.call(password)
          @header = header
          @binding = binding
          @nonce = nonce
        end

        # @return [String] client-first-message
        def first = "#{@header}#{first_bare}"

        # @param server_first [String] "r=nonce,s=salt,i=iterations"
        # @return [String] client-final-message, with the proof
        # @raise [ProtocolError]
        def final(server_first)
          nonce, salt, iterations = challenge(server_first)
          without_proof = "c=#{[@header + @binding].pack("m0")},r=#{nonce}"
          @salted = salted_password(salt, iterations)
          @transcript = "#{first_bare},#{server_first},#{without_proof}"
          "#{without_proof},p=#{[proof].pack("m0")}"
        end

        # @param server_final [String] "v=signature"
        # @raise [ProtocolError] the server has not proven that it knows the password
        def verify(server_final)
          bad("the server sent its final message first") unless @transcript
          signature = decode64(server_final[/\Av=([^,]*)/, 1])
          refused(server_final) unless signature
          expected = hmac(hmac(@salted, "Server Key"), @transcript)
          return if signature.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(signature, expected)

          bad("the server has not proven that it knows the password: it may be another server")
        end

        # @return [String] the class alone: the instance variables contain a password
        def inspect = "#<#{self.class}>"

        private

        def first_bare = "n=,r=#{@nonce}"

        def challenge(server_first)
          match = /\Ar=([\x21-\x2b\x2d-\x7e]+),s=([^,]+),i=([1-9]\d{0,9})(?:,|\z)/.match(server_first)
          salt = match && decode64(match[2])
          bad("the server's first message is malformed") unless salt
          bad("the server's nonce does not begin with the client's") unless match[1].start_with?(@nonce) && match[1] != @nonce
          bad("the server requests #{match[3]} iterations, more than #{MAX_ITERATIONS}") if match[3].to_i > MAX_ITERATIONS
          [match[1], salt, match[3].to_i]
        end

        def proof
          client_key = hmac(@salted, "Client Key")
          signature = hmac(OpenSSL::Digest.digest("SHA256", client_key), @transcript)
          client_key.bytes.zip(signature.bytes).map { |key, mask| key ^ mask }.pack("C*")
        end

        def salted_password(salt, iterations)
          OpenSSL::KDF.pbkdf2_hmac(@password, salt: salt, iterations: iterations, length: KEY_LENGTH, hash: "sha256")
        end

        def hmac(key, text) = OpenSSL::HMAC.digest("SHA256", key, text)

        def decode64(text)
          text&.unpack1("m0")
        rescue ArgumentError
          nil
        end

        def refused(server_final)
          bad("the server refused: #{server_final[/\Ae=([\x21-\x7e&&[^,]]{1,60})/, 1] || "no reason given"}")
        end

        def bad(what)
          raise ProtocolError, "SCRAM authentication: #{what}"
        end
      end

      private_constant :SCRAM
    end
  end
end
