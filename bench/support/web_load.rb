# frozen_string_literal: true

require "open3"

module Trunkline
  module Bench
    # Clients of a web server: wrk, which asks as fast as it is answered, and httperf, which asks at a given rate.
    module WebLoad
      UNITS = { "us" => 0.001, "ms" => 1, "s" => 1000 }.freeze
      private_constant :UNITS

      module_function

      # @param clients [Integer] connections that ask one request after the other
      # @return [Hash] rate (requests a second), latency (milliseconds, mean), errors
      def closed(web, path, clients:, seconds:)
        output = tool("wrk", "-t1", "-c#{clients}", "-d#{seconds}s", "--timeout", "30s", "http://127.0.0.1:#{web.port}#{path}")
        number, unit = output[/Latency\s+([\d.]+[a-z]+)/, 1].match(/([\d.]+)([a-z]+)/).captures
        { rate: output[/Requests\/sec:\s+([\d.]+)/, 1].to_f, latency: number.to_f * UNITS.fetch(unit),
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

      def tool(*command)
        output, status = Open3.capture2e(*command)
        status.success? ? output : raise("#{command.first} failed: #{output}")
      rescue Errno::ENOENT
        abort "This bench needs #{command.first}: apt-get install #{command.first}"
      end
      private_class_method :tool
    end
  end
end
