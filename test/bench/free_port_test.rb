# frozen_string_literal: true

require "test_helper"
require "socket"
require_relative "../../bench/support/servers/free_port"

module Trunkline
  module Bench
    # Ports for private servers.
    class FreePortTest < TestCase
      # Draws these numbers.
      Drawing = Struct.new(:numbers) do
        def rand(_range) = numbers.shift
      end
      private_constant :Drawing

      def test_below_the_ports_that_the_system_gives
        system = File.read("/proc/sys/net/ipv4/ip_local_port_range").split.map(&:to_i)
        assert_operator FreePort.find, :<, system.first
      end

      def test_a_port_on_which_a_server_listens
        port, other = two
        TCPServer.open("127.0.0.1", port) { assert_equal other, FreePort.find(random: Drawing.new([port, other])) }
        assert_equal port, FreePort.find(random: Drawing.new([port]))
      end

      def test_a_port_that_is_held_until_its_server_listens
        port, other = two
        found = FreePort.hold(random: Drawing.new([port])) { |held| [held, FreePort.find(random: Drawing.new([held, held, other]))] }
        assert_equal [port, other], found
        assert_equal port, FreePort.find(random: Drawing.new([port]))
      end

      private

      def two
        port = FreePort.find
        [port, Enumerator.produce { FreePort.find }.find { |other| other != port }]
      end
    end
  end
end
