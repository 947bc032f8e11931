# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  class Config
    # Random lists of hosts, addresses and ports lead libpq to the same places in the same order, or it refuses them too. All
    # of these are addresses without a listener, so that it goes through them all and names them.
    class LibpqHostsTest < TestCase
      COUNT = 300
      HOSTS = ["/nowhere", "/no/where", "127.0.0.1", "127.0.0.2", ""].freeze
      ADDRESSES = ["127.0.0.3", "127.0.0.4", ""].freeze
      PORTS = %w[1 2 3].freeze
      private_constant :COUNT, :HOSTS, :ADDRESSES, :PORTS

      def setup
        @random = Random.new(Minitest.seed)
      end

      def test_lists
        both_took = COUNT.times.count do
          conninfo = conninfo()
          assert_equal libpq(conninfo), (ours = ours(conninfo)), conninfo
          ours != :refused
        end
        assert_operator both_took, :>, COUNT / 10
      end

      private

      def libpq(conninfo)
        ::PG::Connection.sync_connect("#{conninfo} user=ann gssencmode=disable")
      rescue ::PG::ConnectionBad => error
        return :refused if error.message.include?("could not match")

        error.message.scan(/on socket "(.*?)" failed|at "(.*?)".*?, port (\d+) failed/).map { |path, address, port| path || "#{address}:#{port}" }
      end

      def ours(conninfo)
        Config.new("#{conninfo} user=ann", env: {}).hosts.map do |host|
          host.unix_socket? ? host.socket_path : "#{host.hostaddr || host.host}:#{host.port}"
        end
      rescue ConfigError
        :refused
      end

      # Every place has a name or an address: the default host is another here.
      def conninfo
        loop do
          hosts, addresses = list(HOSTS), list(ADDRESSES)
          places = [hosts.size, addresses.size].max
          next if places.zero? || (0...places).any? { |index| hosts[index].to_s.empty? && addresses[index].to_s.empty? }

          return { host: hosts, hostaddr: addresses, port: list(PORTS) }.reject { |_, items| items.empty? }
                 .map { |name, items| "#{name}='#{items.join(",")}'" }.join(" ")
        end
      end

      def list(items) = Array.new([0, 1, 1, 2, 2, 3][@random.rand(6)]) { items[@random.rand(items.size)] }
    end
  end
end
