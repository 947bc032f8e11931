# frozen_string_literal: true

require_relative "isolated"
require_relative "servers/memcached_server"
require_relative "table"

module Trunkline
  module Bench
    # Three servers of memcached, one of which is stopped: what that costs callers of many keys. The stopped one counts who connected
    # to it meanwhile when it goes on.
    class HungServer
      SIDES = { "Trunkline" => "trunkline", "Dalli" => "dalli", "Rails, Trunkline's store" => "trunkline_store",
                "Rails, mem_cache_store" => "mem_cache_store" }.freeze
      OURS = SIDES.keys.first
      SECONDS = 6 # from the stop on; one timeout, and two pauses
      private_constant :SIDES

      # @return [Hash{String => Hash}] by side: as {Peers::HungCaches#measure}, with asked: connections to the stopped server, and
      #   hits: the part of the other servers' keys that the median later call found
      def measure = SIDES.transform_values { |side| measure_one(side) }

      # @param results [Hash] of {#measure}
      # @return [Table]
      def self.table(results)
        rows = results.map do |side, result|
          [side, format("%.0f%%", result[:hits] * 100), format("%.0f ms", result[:first] * 1000), format("%.1f ms", result[:later] * 1000),
           result[:calls], result[:errors], result[:asked]]
        end
        headers = ["side", "hits of the others", "first call, p99", "later calls, p99", "calls", "errors", "connections to the stopped one"]
        Table.new(headers, rows, title: "get_multi of 100 keys by 100 fibers, one server of three stopped for #{SECONDS} s, timeout 1 s")
      end

      private

      def measure_one(side)
        servers = Array.new(3) { MemcachedServer.start }
        peer = Isolated.new("hung_caches", addresses: servers.map(&:address), side: side)
        filled = peer.call(:fill)
        others = filled - statistic(servers.first, "curr_items")
        before = statistic(servers.first, "total_connections")
        result = stopped(servers.first) { peer.call(:measure, seconds: SECONDS) }
        { **result, hits: result[:found] / others.to_f, asked: statistic(servers.first, "total_connections") - before - 1 }
      ensure
        peer&.close
        servers&.each(&:stop)
      end

      def stopped(server)
        Process.kill(:STOP, server.pid)
        yield
      ensure
        Process.kill(:CONT, server.pid)
      end

      def statistic(server, name)
        socket = server.connect
        socket.write("stats\r\n")
        lines = socket.each_line.take_while { |line| line != "END\r\n" }
        lines.grep(/\ASTAT #{name} /).first[/\d+/].to_i
      ensure
        socket&.close
      end
    end
  end
end
