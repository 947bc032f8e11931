# frozen_string_literal: true

require "digest"
require "zlib"

module Trunkline
  module Memcached
    # Consistent hashing: every client assigns a key to the same server, and most keys keep theirs when a server is added or removed. Servers have
    # points on a circle, by their names and weights, and a key belongs to the last point at or before its own. The points are those of libmemcached's
    # ring as Dalli computes it, so that both find each other's keys.
    class Ring
      POINTS = 160 # of a server of average weight
      TRIES = 20   # further points that are tried for a key whose server is down: Dalli's own number
      private_constant :POINTS, :TRIES

      # @return [Array<Server>]
      attr_reader :servers

      # @param servers [Array<Server>] at least one; name, weight, up?
      # @param failover [Boolean] whether other servers store the keys of a server that is down
      def initialize(servers, failover: true)
        @servers = servers.freeze
        @failover = failover
        draw if servers.size > 1
      end

      # @return [Server, nil] if it is the only one
      def only = @values ? nil : @servers.first

      # @param key [String] as it is sent
      # @param changes [Boolean] whether the key will be changed: servers that are down and own it record that
      # @return [Server, nil] nil: the servers that may have the key are down
      def server_for(key, changes: false)
        return only unless @values

        point = Zlib.crc32(key)
        down = nil
        TRIES.times do |try|
          server = at(point)
          return down && changes ? stand_in(server, key, down) : server if server.up?
          break unless @failover

          (down ||= []) << server
          point = Zlib.crc32("#{try}#{key}")
        end
        nil
      end

      private

      # One of them may be up again by now: then it owns the key.
      def stand_in(server, key, down)
        down.all? { |missing| missing.missed?(key, server) } ? server : server_for(key, changes: true)
      end

      def draw
        total = @servers.sum(&:weight)
        points = @servers.flat_map do |server|
          Array.new((@servers.size * POINTS * server.weight / total.to_f).floor) { |number| [point(server, number), server] }
        end
        @values, @owners = points.sort_by(&:first).transpose
      end

      def point(server, number) = Digest::SHA1.hexdigest("#{server.name}:#{number}")[0, 8].hex

      def at(point)
        after = @values.bsearch_index { |value| value > point } || 0
        @owners[after - 1]
      end
    end
    private_constant :Ring
  end
end
