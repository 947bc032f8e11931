# frozen_string_literal: true

require "openssl"
require_relative "../../../errors"

module Trunkline
  module Postgres
    class Authentication
      # Binds a proof of identity to its encrypted connection, so that no party in between can forward it: a hash of the server's certificate
      # ("tls-server-end-point", RFC 5929).
      class ChannelBinding
        MECHANISM = "SCRAM-SHA-256-PLUS"
        TYPE = "tls-server-end-point"
        OLD_DIGESTS = %w[MD5 SHA1].freeze
        SHA1 = "SHA1"
        PSS = "rsassaPss"
        private_constant :TYPE, :OLD_DIGESTS, :SHA1, :PSS

        # @param wish [String] disable, prefer or require
        # @param certificate [OpenSSL::X509::Certificate, nil] the server's; nil: the connection is not encrypted
        def initialize(wish, certificate)
          @wish = wish
          @certificate = certificate
        end

        # @return [Boolean] whether a proof without channel binding must be refused
        def required? = @wish == "require"

        # @param offered [Array<String>] the server's mechanisms
        # @return [Boolean] whether to use it
        # @raise [ProtocolError] the server offers it without encryption: a party in between has ended the encrypted connection
        # @raise [ConnectionError] it is required, and not possible
        def use?(offered)
          plus = offered.include?(MECHANISM)
          raise ProtocolError, "the server offers #{MECHANISM} over a connection that is not encrypted" if plus && !@certificate

          using = plus && able?
          return using if using || !required?

          reason = @certificate ? "the server does not offer it for its certificate" : "the connection is not encrypted"
          raise ConnectionError.new("channel_binding=require cannot be met: #{reason}", retriable: false)
        end

        # The GS2 header: with the binding; without, but stating that it was possible here, so that a server which offered it detects that its offer
        # was removed on the way; or without (RFC 5802, 6).
        #
        # @param bound [Boolean]
        # @return [String]
        def header(bound)
          return "p=#{TYPE},," if bound

          able? ? "y,," : "n,,"
        end

        # @return [String] the certificate's hash, by the hash function of its own signature, or SHA-256 where that is old
        def data = OpenSSL::Digest.digest(digest, @certificate.to_der)

        private

        def able? = @certificate && @wish != "disable" && !digest.nil?

        def digest
          name = @certificate.signature_algorithm
          digest = name == PSS ? pss_digest : name[/sha3-\d+|sha512-\d+|sha\d+|md5/i]&.upcase
          OLD_DIGESTS.include?(digest) ? "SHA256" : digest
        end

        # RFC 4055, 3.1: the name is one of the parameters; SHA-1 is the default.
        def pss_digest
          parameters = OpenSSL::ASN1.decode(@certificate.to_der).value[1].value[1]
          hash = Array(parameters&.value).find { |field| field.tag == 0 && field.tag_class == :CONTEXT_SPECIFIC }
          hash ? hash.value[0].value[0].sn.upcase : SHA1
        end
      end

      private_constant :ChannelBinding
    end
  end
end
