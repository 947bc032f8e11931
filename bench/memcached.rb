# frozen_string_literal: true

# What a timeout on every call to memcached costs, in the ways that there are, and what a call costs at all: for a single
# caller, for a hundred fibers and for sixteen threads.

require "timeout"
require_relative "support/bench"
require_relative "support/report"
require_relative "support/caches/others"
require_relative "support/data/cache_round"
require_relative "support/hung_server"
require_relative "support/servers/memcached_server"

module Trunkline
  module Bench
    # The sides are told apart by their names, which are the tables' first column too.
    class Memcached < Experiment
      KEYS = 100_000
      OURS = "Trunkline, timeout 1 s"
      FREE = "Trunkline, no timeout"
      DALLI = "Dalli, timeout 1 s"
      CLIENT = "memcache-client, timeout 1 s"
      OLD, NEW = [Timeout::VERSION, Caches::Timed::NEWER.last].map { |version| "Timeout.timeout #{version}" }
      SINGLE = {
        FREE => { cache: "Trunkline" },
        OURS => { cache: "Trunkline", timeout: 1 },
        "Trunkline, #{OLD}" => { cache: "Trunkline", timed: "old" },
        "Trunkline, #{NEW}" => { cache: "Trunkline", timed: "new" },
        "Dalli, no timeout" => { cache: "Dalli", timeout: nil },
        DALLI => { cache: "Dalli", timeout: 1 },
        "Dalli, #{OLD}" => { cache: "Dalli", timeout: nil, timed: "old" },
        "Dalli, #{NEW}" => { cache: "Dalli", timeout: nil, timed: "new" },
        "memcache-client, no timeout" => { cache: "MemcacheClient" },
        CLIENT => { cache: "MemcacheClient", timeout: 1 },
        "memcache-client, #{OLD}" => { cache: "MemcacheClient", timed: "old" },
        "memcache-client, #{NEW}" => { cache: "MemcacheClient", timed: "new" },
        "libmemcached, no timeout" => { cache: "Libmemcached" },
        "libmemcached, timeout 1 s" => { cache: "Libmemcached", timeout: 1 },
        "by hand, no timeout" => { cache: "SocketOptions" },
        "by hand, SO_RCVTIMEO" => { cache: "SocketOptions", timeout: 1 },
        "by hand, #{OLD}" => { cache: "SocketOptions", timed: "old" },
        "by hand, #{NEW}" => { cache: "SocketOptions", timed: "new" },
        "by hand, non-blocking" => { cache: "NonBlocking", timeout: 1 }
      }.freeze
      FIBERS = "Trunkline, 100 fibers"
      THREADS = "Trunkline, 16 threads"
      DALLI_FIBERS = ["Dalli, 100 fibers, shared", "Dalli, 100 fibers, 8 clients"].freeze
      DALLI_THREADS = "Dalli, 16 threads, 8 clients"
      MANY = {
        FIBERS => { cache: "Trunkline", timeout: 1, concurrency: "fiber", callers: 100 },
        DALLI_FIBERS.first => { cache: "Dalli", timeout: 1, concurrency: "fiber", callers: 100 },
        DALLI_FIBERS.last => { cache: "Dalli", timeout: 1, concurrency: "fiber", callers: 100, pool: 8 },
        "by hand, 100 fibers, 8 clients" => { cache: "NonBlocking", timeout: 1, concurrency: "fiber", callers: 100, pool: 8 },
        THREADS => { cache: "Trunkline", timeout: 1, callers: 16 },
        "Dalli, 16 threads, shared" => { cache: "Dalli", timeout: 1, callers: 16 },
        DALLI_THREADS => { cache: "Dalli", timeout: 1, callers: 16, pool: 8 }
      }.freeze
      private_constant :SINGLE, :MANY

      # @param options [Options]
      # @param report [String, nil] file for a page with charts
      def initialize(options, report:)
        super(options)
        @operations = options.numbers[:operations]
        @report = report
      end

      def run
        single = measure(possible(SINGLE), :measure, @operations)
        many = measure(MANY, :measure, @operations)
        keys = measure(SINGLE.slice(OURS, DALLI, CLIENT, "by hand, non-blocking"), :measure_many, KEYS)
        tables = [timings(single), costs("Many callers at once", many), costs("get_multi of 100 keys, each key", keys)]
        hung = HungServer.new.measure(@options.runs)
        tables << HungServer.table(hung)
        publish(tables, { single: single, many: many, keys: keys, hung: hung }, figures: figures(single, many, keys) + hung_figures(hung[HungServer::OURS]))
        write_report(tables) if @report
      end

      private

      def start = MemcachedServer.start

      def versions = Versions.all

      # libmemcached's binding needs libsasl2-dev to build, and a compiler that it likes.
      def possible(sides)
        return sides if ExtraGem.available?(*Caches::Libmemcached::GEM)

        warn "libmemcached is left out: its gem does not build here (on Debian it needs libsasl2-dev)"
        sides.reject { |_, side| side[:cache] == "Libmemcached" }
      end

      def measure(sides, method, count)
        peers = sides.transform_values { |side| Isolated.new("cache_rounds", address: @server.address, **side) }
        check(peers)
        peers.each_value { |peer| peer.call(method, count: count / 10) }
        results = Array.new(@options.runs) { peers.transform_values { |peer| peer.call(method, count: count) } }
        sides.to_h { |name, _| [name, medians(results.map { |result| result.fetch(name) })] }
      ensure
        peers&.each_value(&:close)
      end

      def check(peers)
        Comparison.agree(peers.transform_values { |peer| peer.call(:answers) })
      end

      def medians(results)
        medians = Measure.medians(results)
        medians.merge(cpu_each: medians[:cpu] / medians[:result] * 1_000_000)
      end

      def timings(single)
        rows = single.map do |side, result|
          seconds = result.values_at(:user, :system, :cpu, :wall).map { |number| format("%.3f", number) }
          [side, *seconds, format("%.1f", result[:cpu_each])]
        end
        headers = ["side", "user", "system", "total", "real", "CPU us/operation"]
        Table.new(headers, rows, title: "#{@operations} mixed operations of a single caller, seconds", drawn: headers.last)
      end

      def costs(title, results)
        rows = results.map do |side, result|
          [side, format("%.3f", result[:wall]), format("%.2f", result[:cpu_each]), (result[:objects] / result[:result].to_f).round(1)]
        end
        Table.new(["side", "real s", "CPU us/operation", "objects/operation"], rows, title: title, drawn: "CPU us/operation")
      end

      # @return [Array<Hash>] what the project promises, and what was measured
      def figures(single, many, keys)
        cpu = { **single, **many }.transform_values { |result| result[:cpu_each] }
        [
          figure("timeout on: CPU against off", cpu[OURS] / cpu[FREE], "<= 1.03"),
          figure("single caller, CPU an operation: Dalli", cpu[OURS] / cpu[DALLI], "<= 0.6"),
          figure("the same: memcache-client", cpu[OURS] / cpu[CLIENT], "<= 0.7"),
          figure("100 fibers, CPU an operation: Dalli's best", cpu[FIBERS] / cpu.values_at(*DALLI_FIBERS).min, "<= 0.2"),
          figure("16 threads, operations/s: Dalli over 8 clients", many[DALLI_THREADS][:wall] / many[THREADS][:wall], ">= 2"),
          figure("get_multi, CPU us a key", keys[OURS][:cpu_each], "<= 0.6")
        ]
      end

      def hung_figures(ours)
        [
          figure("one server of three stopped: hits of the others", ours[:hits], ">= 1"),
          figure("its first call, p99 ms, of a timeout of 1000 ms", ours[:first] * 1000, "<= 1100"),
          figure("later calls, p99 ms", ours[:later] * 1000, "<= 5"),
          figure("connections to the stopped server in #{HungServer::SECONDS} s, with pauses of 1, 2 and 4 s", ours[:asked], "<= 4")
        ]
      end

      def write_report(tables)
        report = Report.new("Timeouts on memcached")
        tables.each { |table| report.table(table) }
        puts "Report: #{report.write(@report, footer: Versions.line)}"
      end
    end
  end
end

Trunkline::Bench.main do
  report = nil
  numbers = { operations: [50_000, "of each side in each run"] }
  options = Trunkline::Bench::Options.parse(ARGV, runs: 3, numbers: numbers) do |parser|
    parser.on("--report=FILE", "write a page with bar charts") { |path| report = path }
  end
  Trunkline::Bench::Memcached.new(options, report: report).run
end
