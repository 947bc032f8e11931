# frozen_string_literal: true

require "test_helper"
require "support/decoded_values"

module Trunkline
  class DecodeNetworkTest < TestCase
    include DecodedValues

    INET = 869
    CIDR = 650
    IPV4 = [2, 24, 0, 4, 192, 168, 1, 5].pack("C*").freeze
    IPV6 = [3, 64, 0, 16, *([0] * 15), 1].pack("C*").freeze

    def test_addresses
      assert_same_value "192.168.1.5/24", text(INET, "192.168.1.5/24")
      assert_same_value "192.168.1.5/24", binary(INET, IPV4)
      assert_same_value "::1/64", binary(INET, IPV6)
    end

    def test_the_whole_prefix_shows_only_in_networks
      address = [2, 32, 0, 4, 10, 0, 0, 1].pack("C*")
      assert_same_value "10.0.0.1", binary(INET, address)
      assert_same_value "10.0.0.1/32", binary(CIDR, address)
      assert_same_value "::1", binary(INET, [3, 128].pack("C*") + IPV6[2..])
    end

    def test_malformed
      { "inet" => INET, "cidr" => CIDR }.each do |name, oid|
        assert_exact_length name, oid, IPV4
        assert_exact_length name, oid, IPV6
        assert_malformed name, oid, 1, "\1#{IPV4[1..]}", [2, 33].pack("C*") + IPV4[2..], [3, 129].pack("C*") + IPV6[2..],
                         [3, 24].pack("C*") + IPV4[2..], [2, 24, 0, 5].pack("C*") + IPV4[4..]
      end
    end
  end
end
