# frozen_string_literal: true

require "test_helper"
require "support/dalli_oracle"

module Trunkline
  module Memcached
    # What a server calls a key: what Dalli makes of it.
    class KeysTest < TestCase
      include DalliOracle

      [{}, { namespace: "app" }, { namespace: "ünï" }, { namespace: "app", namespace_separator: "/" },
       { digest_class: Digest::SHA256 }, { namespace: "app", digest_class: Digest::SHA1 }].each_with_index do |options, number|
        define_method("test_options_#{number}") do
          theirs = Dalli::KeyManager.new(PROTOCOL.merge(options))
          keys(Random.new(Minitest.seed), 1000).each { |key| assert_equal theirs.validate_key(key), ours(**options).wire(key) }
        end
      end

      def test_a_namespace_may_be_requested_each_time
        names = %w[a b].each
        keys = ours(namespace: -> { names.next })
        assert_equal %w[a:key b:key], [keys.wire("key"), keys.wire(:key)]
      end

      def test_blank_keys
        ["", nil, :""].each { |key| assert_raises(ArgumentError) { ours.wire(key) } }
        assert_equal " ", ours.wire(" ")
      end

      def test_binary_keys
        assert_equal "app:\xFF".b, ours(namespace: "app").wire("\xFF".b)
        assert_operator ours.wire("\xFF".b * 300).bytesize, :<=, 250
      end

      def test_what_cannot_be
        ["", "::", "a", " ", "\n"].each { |separator| assert_raises(ArgumentError) { ours(namespace_separator: separator) } }
        assert_raises(ArgumentError) { ours(digest_class: Object) }
        long = Module.new { def self.hexdigest(_) = "x" * 300 }
        assert_match(/too long for a key/, assert_raises(ArgumentError) { ours(digest_class: long).wire("x" * 300) }.message)
      end

      private

      def ours(namespace_separator: ":", **options) = Memcached.const_get(:Keys).new(separator: namespace_separator, **options)
    end
  end
end
