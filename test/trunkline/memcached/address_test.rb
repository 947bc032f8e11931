# frozen_string_literal: true

require "test_helper"
require "support/dalli_oracle"

module Trunkline
  module Memcached
    # Where servers are.
    class AddressTest < TestCase
      SERVERS = ["localhost", "cache.example:11212", "10.0.0.1:11211:3", "[::1]", "[::1]:11213", "[2001:db8::1]:11211:2",
                 "/var/run/memcached.sock", "/tmp/memcached:3", "memcached://cache.example:11214", "memcached://cache.example"].freeze

      SERVERS.each do |server|
        define_method("test_#{server.tr(":/.[]", "_")}_is_understood_as_dalli_does") do
          host, port, _, weight, = Dalli::Protocol::ServerConfigParser.parse(server)
          address = Address.parse(server)
          assert_equal [host, port || nil, weight], [address.host, address.port, address.weight]
        end
      end

      def test_several
        assert_equal %w[a:1 b:2 c:3], Address.all(["a:1", "b:2, c:3"]).map(&:name)
        assert_equal %w[a:11211 b:11211], Address.all("a,b").map(&:name)
      end

      def test_none_is_what_the_environment_says
        before = ENV.fetch("MEMCACHE_SERVERS", nil)
        ENV["MEMCACHE_SERVERS"] = "a:1,b:2"
        assert_equal %w[a:1 b:2], Address.all(nil).map(&:name)
        ENV.delete("MEMCACHE_SERVERS")
        assert_equal ["127.0.0.1:11211"], Address.all([]).map(&:name)
      ensure
        ENV["MEMCACHE_SERVERS"] = before
      end

      def test_what_cannot_be
        { "" => /is no server/, "a:b" => /is no server/, "a:1:2:3" => /is no server/, "[]:1" => /is no server/, "a:0" => /between 1 and 65535/,
          "a:70000" => /between 1 and 65535/, "a:1:0" => /must be positive/, "/a/socket:1:2" => /a weight, but no port/ }.each do |text, message|
          assert_match message, assert_raises(ConfigError) { Address.parse(text) }.message
        end
        [[:symbol], 11_211, [nil], ",", "a,a", %w[a a:11211]].each { |servers| assert_raises(ConfigError) { Address.all(servers) } }
      end

      def test_a_password_is_refused_and_not_shown
        error = assert_raises(ConfigError) { Address.parse("memcached://ada:secret@cache.example") }
        assert_match(/username: and password:/, error.message)
        refute_match(/secret/, error.full_message)
      end
    end
  end
end
