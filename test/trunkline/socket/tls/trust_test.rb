# frozen_string_literal: true

require "test_helper"
require "support/tls_authority"

module Trunkline
  module Socket
    module TLS
      class TrustTest < TestCase
        def authority = TLSAuthority.shared

        def test_a_store_believes_its_roots_only
          issued = authority.issue("believed")

          assert Trust.store(authority.root).verify(issued)
          refute Trust.store(TLSAuthority.new("a stranger").root).verify(issued)
          refute Trust.store("system").verify(issued)
        end

        def test_stores_are_kept_until_their_file_changes
          first, second = Array.new(2) { |number| File.read(TLSAuthority.new("authority #{number}").root) }
          file = authority.write("changing.crt", first)
          store = Trust.store(file)
          assert_same store, Trust.store(file)
          authority.write("changing.crt", "#{second}\n")
          refute_same store, Trust.store(file)
          assert_same Trust.store("system"), Trust.store("system")
        end

        def test_only_so_many_are_kept
          stores = Array.new(10) { |number| Trust.store(authority.write("kept#{number}.crt", File.read(authority.root))) }

          refute_same stores.first, Trust.store(authority.path("kept0.crt"))
          assert_same stores.last, Trust.store(authority.path("kept9.crt"))
        end

        def test_revoked_certificates_are_read_each_time
          issued = authority.issue("withdrawn")
          list = authority.revoke("withdrawn")
          assert Trust.store(authority.root, revoked: [list]).verify(issued)
          authority.revoke("withdrawn", "withdrawn")

          refute Trust.store(authority.root, revoked: [list]).verify(issued)
          assert Trust.store(authority.root).verify(issued)
        end

        def test_files_that_cannot_be_read
          assert_match(/\Athe root certificates in .*none\.crt cannot be read: /, assert_raises(ConfigError) { Trust.store(authority.path("none.crt")) }.message)
          assert_match(/\Athe revoked certificates in .*none\.crl cannot be read: /,
                       assert_raises(ConfigError) { Trust.store(authority.root, revoked: [authority.path("none.crl")]) }.message)
        end
      end
    end
  end
end
