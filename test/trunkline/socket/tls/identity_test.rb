# frozen_string_literal: true

require "test_helper"
require "support/tls_authority"

module Trunkline
  module Socket
    module TLS
      class IdentityTest < TestCase
        def identity(*names, subject: "common.example")
          Identity.new(TLSAuthority.shared.issue("identity", subject: subject, names: names))
        end

        def assert_of(identity, *hosts) = hosts.each { |host| assert identity.of?(host), host }

        def refute_of(identity, *hosts) = hosts.each { |host| refute identity.of?(host), host }

        def test_names
          named = identity("DNS:db.example", "DNS:Other.Example")

          assert_of named, "db.example", "DB.EXAMPLE", "other.example"
          refute_of named, "example", "xdb.example", "db.example.org", "db.example.", "", "10.0.0.1"
        end

        def test_wildcards_stand_for_one_label
          wild = identity("DNS:*.example")

          assert_of wild, "db.example", "DB.Example", "a.example"
          refute_of wild, "a.b.example", "example", ".example", "dbexample"
          refute_of identity("DNS:d*.example"), "db.example"
          refute_of identity("DNS:db.*.example"), "db.a.example"
          refute_of identity("DNS:*"), "localhost", ""
          refute_of identity("DNS:*."), "localhost", "localhost."
        end

        def test_addresses
          addressed = identity("IP:10.0.0.1", "IP:::1", "IP:fe80::1")

          assert_of addressed, "10.0.0.1", "10.1", "::1", "0:0:0:0:0:0:0:1", "fe80::1"
          refute_of addressed, "10.0.0.2", "::2", "fe80::1%lo", "localhost"
          assert_of identity("DNS:10.0.0.1"), "10.0.0.1"
        end

        def test_the_common_name_counts_where_no_other_of_its_kind_is
          assert_of identity, "common.example"
          assert_of identity(subject: "10.0.0.1"), "10.0.0.1"
          assert_of identity("IP:10.0.0.1"), "common.example"
          refute_of identity("DNS:other.example"), "common.example"
          assert_of identity("DNS:other.example", subject: "10.0.0.1"), "10.0.0.1"
          refute_of identity("IP:10.0.0.2", subject: "10.0.0.1"), "10.0.0.1"
          assert_of identity("email:ann@example"), "common.example"
        end

        def test_a_name_that_ends_early_as_a_c_string
          ["db.example\0.evil", "*.example\0"].each { |subject| refute_of identity(subject: subject), "db.example" }
        end

        def test_a_certificate_without_names
          nameless = OpenSSL::X509::Certificate.new

          refute_of Identity.new(nameless), "db.example", "10.0.0.1"
          assert_equal "no name", Identity.new(nameless).to_s
        end

        def test_how_it_is_reported
          assert_equal '"common.example"', identity.to_s
          assert_equal '"db.example" (and 3 other names)', identity("DNS:db.example", "IP:10.0.0.1", "IP:::1").to_s
          assert_equal '"db.example"', identity("DNS:db.example", subject: "db.example").to_s
        end
      end
    end
  end
end
