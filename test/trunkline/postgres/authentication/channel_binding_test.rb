# frozen_string_literal: true

require "test_helper"
require "support/tls_authority"

module Trunkline
  module Postgres
    class Authentication
      class ChannelBindingTest < TestCase
        BOTH = %w[SCRAM-SHA-256-PLUS SCRAM-SHA-256].freeze
        PLAIN = %w[SCRAM-SHA-256].freeze
        private_constant :BOTH, :PLAIN

        def certificate(**options) = TLSAuthority.shared.issue("bound", **options)

        def binding(wish = "prefer", certificate = self.certificate) = ChannelBinding.new(wish, certificate)

        def hash(name, certificate) = OpenSSL::Digest.digest(name, certificate.to_der)

        def refusal(wish, certificate, offered)
          error = assert_raises(ConnectionError) { binding(wish, certificate).use?(offered) }
          refute_predicate error, :retriable?
          error.message
        end

        def test_it_is_used_where_both_sides_can_and_none_objects
          assert binding.use?(BOTH)
          assert binding("require").use?(BOTH)
          refute binding.use?(PLAIN)
          refute binding("disable").use?(BOTH)
          refute binding("prefer", nil).use?(PLAIN)
        end

        def test_what_is_required_and_cannot_be
          assert_equal "channel_binding=require cannot be met: the server does not offer it for its certificate",
                       refusal("require", certificate, PLAIN)
          assert_equal "channel_binding=require cannot be met: the connection is not encrypted", refusal("require", nil, PLAIN)
        end

        def test_an_offer_without_encryption
          error = assert_raises(ProtocolError) { binding("prefer", nil).use?(BOTH) }

          assert_equal "the server offers SCRAM-SHA-256-PLUS over a connection that is not encrypted", error.message
        end

        def test_a_client_that_could_says_so
          assert_equal "p=tls-server-end-point,,", binding.header(true)
          assert_equal %w[y,, n,, n,,], [binding, binding("disable"), binding("prefer", nil)].map { |it| it.header(false) }
        end

        def test_the_hash_is_that_of_the_certificates_own_signature
          { "SHA256" => "SHA256", "SHA384" => "SHA384", "SHA512" => "SHA512", "SHA1" => "SHA256" }.each do |signed, hashed|
            issued = certificate(digest: signed)
            assert_equal hash(hashed, issued), binding("prefer", issued).data, signed
          end
        end

        def test_signatures_that_name_their_hash_apart
          { "SHA512" => "SHA512", "SHA1" => "SHA256" }.each do |signed, hashed|
            issued = with_openssl("-algorithm", "RSA", "-sigopt", "rsa_padding_mode:pss", digest: signed)
            assert_equal "rsassaPss", issued.signature_algorithm
            assert_equal hash(hashed, issued), binding("prefer", issued).data, signed
          end
        end

        # No hash is defined for it, so nothing can be bound.
        def test_signatures_without_a_hash
          issued = with_openssl("-algorithm", "ED25519")

          refute binding("prefer", issued).use?(BOTH)
          assert_equal "n,,", binding("prefer", issued).header(false)
          assert_includes refusal("require", issued, BOTH), "the server does not offer it for its certificate"
        end

        private

        # Ruby's own library cannot sign so.
        def with_openssl(_, algorithm, *signing, digest: nil)
          Dir.mktmpdir do |folder|
            system("openssl", "genpkey", "-algorithm", algorithm, "-out", "#{folder}/key", err: File::NULL, exception: true)
            command = %W[openssl req -x509 -new -key #{folder}/key -subj /CN=x -out #{folder}/crt]
            system(*command, *signing, *("-#{digest.downcase}" if digest), exception: true)
            OpenSSL::X509::Certificate.new(File.read("#{folder}/crt"))
          end
        end
      end
    end
  end
end
