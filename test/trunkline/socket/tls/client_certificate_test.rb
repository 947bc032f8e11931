# frozen_string_literal: true

require "test_helper"
require "support/tls_authority"

module Trunkline
  module Socket
    module TLS
      class ClientCertificateTest < TestCase
        def authority = TLSAuthority.shared

        def load(name, key: authority.path("#{name}.key"), passphrase: nil)
          ClientCertificate.load(authority.path("#{name}.crt"), key, passphrase)
        end

        def refusal(...) = assert_raises(ConfigError) { load(...) }.message

        def test_a_certificate_with_its_chain_and_key
          issued = authority.issue("ann")
          authority.write("ann.crt", issued.to_pem + File.read(authority.root))
          loaded = load("ann")

          assert_equal issued.to_der, loaded.certificate.to_der
          assert_equal [File.read(authority.root)], loaded.chain.map(&:to_pem)
          assert issued.check_private_key(loaded.key)
          assert_equal "#<#{ClientCertificate} /CN=ann>", loaded.inspect
        end

        def test_no_certificate
          assert_nil load("absent")
        end

        def test_keys_of_every_form
          key = OpenSSL::PKey::RSA.new(2048)
          authority.issue("ben", key: key)
          assert load("ben")
          authority.write("ben.key", key.to_der, 0o600)
          assert load("ben")
          authority.issue("ben", key: key, passphrase: "secret")
          assert load("ben", passphrase: "secret")
          assert_match(/\Athe private key .*ben\.key cannot be read \(is sslpassword right\?\): /, refusal("ben"))
          refute_includes refusal("ben", passphrase: "s3cret"), "s3cret"
        end

        def test_no_key
          authority.issue("cat")
          [nil, "/nowhere/cat.key"].each do |key|
            assert_match(/\Athere is the certificate .*cat\.crt, but not its private key \(sslkey\)\z/, refusal("cat", key: key))
          end
        end

        def test_a_key_that_others_may_read
          authority.issue("dan")
          owner = File.stat(authority.path("dan.key")).uid
          { 0o600 => true, 0o400 => true, 0o644 => false, 0o660 => false, 0o640 => owner.zero? }.each do |mode, fine|
            File.chmod(mode, authority.path("dan.key"))
            fine ? assert(load("dan")) : assert_match(/\Aothers may read the private key .*dan\.key: /, refusal("dan"))
          end
          assert_match(/\Athe private key .* is no file\z/, refusal("dan", key: authority.folder))
        end

        def test_a_key_of_another_certificate
          %w[eve fay].each { |name| authority.issue(name) }

          assert_match(/\Athe private key .*fay\.key does not belong to the certificate .*eve\.crt\z/, refusal("eve", key: authority.path("fay.key")))
        end

        def test_files_that_hold_something_else
          authority.issue("gus")
          authority.write("gus.key", "nonsense", 0o600)
          assert_match(/\Athe private key .*gus\.key cannot be read/, refusal("gus"))
          authority.write("gus.crt", "nonsense")
          assert_match(/\Athe certificate .*gus\.crt cannot be read: /, refusal("gus"))
          authority.write("gus.crt", "")
          assert_match(/\Athe certificate .*gus\.crt cannot be read: /, refusal("gus"))
        end
      end
    end
  end
end
