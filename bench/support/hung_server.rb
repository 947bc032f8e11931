# frozen_string_literal: true

require_relative "comparison"
require_relative "isolated"
require_relative "servers/memcached_server"
require_relative "table"

module Trunkline
  module Bench
    # Three servers of memcached, one of which is stopped: what that costs callers of many keys. The stopped one counts its connections
    # to it meanwhile when it goes on.
    class HungServer
      # On Ruby 3.1 Dalli leaves its timeouts to the socket, and an event loop does not keep these: so it is measured under threads too.
      SIDES = {
        "Trunkline, 100 fibers" => { side: "trunkline" },
        "Trunkline, 100 threads" => { side: "trunkline", concurrency: "thread" },
        "Dalli, 100 fibers" => { side: "dalli" },
        "Dalli, 100 threads" => { side: "dalli", concurrency: "thread" },
        "Rails, Trunkline's store, 100 fibers" => { side: "trunkline_store" },
        "Rails, Trunkline's store, 100 threads" => { side: "trunkline_store", concurrency: "thread" },
        "Rails, mem_cache_store, 100 fibers" => { side: "mem_cache_store" },
        "Rails, mem_cache_store, 100 threads" => { side: "mem_cache_store", concurrency: "thread" }
      }.freeze
      OURS = SIDES.keys.first
      SECONDS = 6 # from the stop on; one timeout, and two pauses
      RUNNING = 3 # seconds of the same calls before, with all servers running
      private_constant :SIDES, :RUNNING

      # The sides take turns, with servers of their own each time.
      #
      # @param runs [Integer]
      # @return [Hash{String => Hash}] medians, by side: as {Peers::HungCaches#measure}, with running: later, while all servers ran;
      #   asked: connections to the stopped server; and hits: the part of the other servers' keys that the median later call found
      # @raise [RuntimeError] the sides do not return the same while all servers run
      def measure(runs)
        results = Array.new(runs) { agreed(SIDES.transform_values { |side| measure_one(side) }) }
        SIDES.to_h { |name, _| [name, Measure.medians(results.map { |result| result.fetch(name) })] }
      end

      # @param results [Hash] of {#measure}
      # @return [Table]
      def self.table(results)
        rows = results.map do |side, result|
          times = result.values_at(:first, :later, :running).map { |seconds| format("%.1f ms", seconds * 1000) }
          [side, format("%.0f%%", result[:hits] * 100), *times, *result.values_at(:calls, :errors, :asked)]
        end
        headers = ["side", "hits of the others", "first call, p99", "later calls, p99", "the same, all running", "calls", "errors",
                   "connections to the stopped one"]
        Table.new(headers, rows, title: "get_multi of 100 keys, one server of three stopped for #{SECONDS} s, timeout 1 s")
      end

      private

      def agreed(results)
        Comparison.agree(results.transform_values { |result| result.delete(:answers) })
        results
      end

      def measure_one(side)
        servers = Array.new(3) { MemcachedServer.start }
        peer = Isolated.new("hung_caches", addresses: servers.map(&:address), **side)
        peer.call(:fill)
        answers = peer.call(:answers)
        running = peer.call(:measure, seconds: RUNNING)[:later]
        { answers: answers, running: running, **measure_stopped(servers.first, peer, answers.size) }
      ensure
        peer&.close
        servers&.each(&:stop)
      end

      # @param keys [Integer] of all servers
      def measure_stopped(server, peer, keys)
        others = keys - statistic(server, "curr_items")
        before = statistic(server, "total_connections")
        result = stopped(server) { peer.call(:measure, seconds: SECONDS) }
        { **result, hits: result[:found] / others.to_f, asked: statistic(server, "total_connections") - before - 1 }
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
