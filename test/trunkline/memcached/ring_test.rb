# frozen_string_literal: true

require "test_helper"
require "support/dalli_oracle"

module Trunkline
  module Memcached
    # Which server has which key: the one that Dalli takes.
    class RingTest < TestCase
      include DalliOracle

      Place = Struct.new(:name, :weight, :up) do
        def up? = up
        def alive? = up
      end

      FLEETS = [%w[a:1 b:2], %w[127.0.0.1:11211 127.0.0.1:11212 127.0.0.1:11213], %w[a:1:1 b:2:5 c:3:2],
                %w[/tmp/one /tmp/two:4], Array.new(20) { |number| "cache#{number}.example:11211:#{(number % 3) + 1}" }].freeze

      FLEETS.each_with_index do |fleet, number|
        define_method("test_fleet_#{number}_is_dalli_s") do
          ours, theirs = rings(fleet)
          keys(Random.new(Minitest.seed), 2000).each { |key| assert_equal theirs.server_for_key(key).name, ours.server_for(key).name }
        end

        define_method("test_fleet_#{number}_is_dalli_s_when_servers_are_down") do
          random = Random.new(Minitest.seed)
          ours, theirs = rings(fleet)
          down = fleet.size.times.to_a.sample(fleet.size / 2, random: random)
          down.each { |at| ours.servers[at].up = theirs.servers[at].up = false }
          keys(random, 500).each { |key| assert_same_server(ours, theirs, key) }
        end
      end

      def test_without_failover_no_server_has_the_keys_of_one_that_is_down
        ring = ring(%w[a:1 b:2], failover: false)
        ring.servers.first.up = false
        servers = keys(Random.new(1), 100).map { |key| ring.server_for(key) }
        assert_equal [nil, ring.servers.last], servers.uniq.sort_by { |server| server ? 1 : 0 }
      end

      def test_one_server_has_every_key
        ring = ring(%w[a:1])
        assert_same ring.servers.first, ring.only
        assert_same ring.servers.first, ring.server_for("key")
      end

      private

      def ring(fleet, **options) = Memcached.const_get(:Ring).new(places(fleet), **options)

      def places(fleet)
        fleet.map { |text| Address.parse(text) }.map { |address| Place.new(address.name, address.weight, true) }
      end

      def rings(fleet)
        theirs = Dalli::Ring.new(fleet, DalliPlace, {})
        [ring(fleet), theirs]
      end

      # What Dalli asks its servers, with its own parser and names.
      class DalliPlace < Place
        def self.new(text, _options)
          host, port, _, weight, = Dalli::Protocol::ServerConfigParser.parse(text)
          manager = Dalli::Protocol::ConnectionManager.new(host, port, port ? :tcp : :unix, {})
          allocate.tap { |place| place.send(:initialize, manager.name, weight, true) }
        end

        def init_threadsafe = @lock = Monitor.new
      end

      def assert_same_server(ours, theirs, key)
        expected = begin
          theirs.server_for_key(key).name
        rescue Dalli::RingError
          nil
        end
        actual = ours.server_for(key)&.name
        expected ? assert_equal(expected, actual) : assert_nil(actual)
      end
    end
  end
end
