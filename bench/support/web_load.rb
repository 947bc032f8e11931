# frozen_string_literal: true

require "open3"
require_relative "packages"

module Trunkline
  module Bench
    # Clients of a web server: wrk, which asks as fast as it is answered, and httperf, which asks at a given rate.
    module WebLoad
      UNITS = { "us" => 0.001, "ms" => 1, "s" => 1000 }.freeze
      private_constant :UNITS

      module_function

      # @param clients [Integer] connections that ask one request after the other
      # @return [Hash] requests, rate (requests a second), latency, median and p99 (milliseconds; latency is the mean), errors
      def closed(web, path, clients:, seconds:)
        output = tool("wrk", "-t1", "-c#{clients}", "-d#{seconds}s", "--latency", "--timeout", "30s", "http://127.0.0.1:#{web.port}#{path}")
        { requests: output[/(\d+) requests in/, 1].to_i, rate: output[/Requests\/sec:\s+([\d.]+)/, 1].to_f,
          latency: milliseconds(output, "Latency"), median: milliseconds(output, "50%"), p99: milliseconds(output, "99%"),
          errors: output.scan(/(?:connect|read|write|timeout) (\d+)|Non-2xx or 3xx responses: (\d+)/).flatten.compact.sum(&:to_i) }
      end

      # @param rate [Integer] requests a second, each on a connection of its own
      # @return [Hash] latency (milliseconds, mean; nil when none was answered), errors
      def open(web, path, rate:, seconds:)
        output = tool("httperf", "--hog", "--server", "127.0.0.1", "--port", web.port.to_s, "--uri", path, "--rate", rate.to_s,
                      "--num-conns", (rate * seconds).ceil.to_s, "--timeout", "10")
        latency = output[/Connection time \[ms\]: min [\d.]+ avg ([\d.]+)/, 1]
        { latency: latency && latency.to_f, errors: output[/Errors: total (\d+)/, 1].to_i }
      end

      def milliseconds(output, label)
        number, unit = output.match(/#{label}\s+([\d.]+)([a-z]+)/).captures
        number.to_f * UNITS.fetch(unit)
      end

      def tool(*command)
        Packages.need_program(command.first)
        output, status = Open3.capture2e(*command)
        status.success? ? output : raise("#{command.first} failed: #{output}")
      end
      private_class_method :milliseconds, :tool
    end
  end
end
