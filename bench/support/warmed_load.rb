# frozen_string_literal: true

require_relative "backends"
require_relative "server_cpu"
require_relative "web_load"

module Trunkline
  module Bench
    # A number of clients that each request a page of a web server again as soon as they have it, once the server is warm. Several web servers are
    # measured in turns, as the speed of a machine changes with time. A page that no client has got in the longest run is not requested in further ones.
    class WarmedLoad
      WARM_UP = 1  # seconds; again, until each client may have been answered
      WARM_UPS = 5 # at most
      LONGEST = 16 # seconds; a run that answers less than a request a client is made again, twice as long, up to that, and so are those after it
      private_constant :WARM_UP, :WARM_UPS, :LONGEST

      # @param server [PostgresServer]
      # @param clients [Integer]
      # @param runs [Integer]
      # @param seconds [Numeric] length of each run
      # @param warm_up [Numeric] seconds of each run before them
      # @param sender [#closed] sends the requests
      def initialize(server, clients:, runs:, seconds:, warm_up: WARM_UP, sender: WebLoad)
        @server, @clients, @runs, @seconds, @warm_up, @sender = server, clients, runs, seconds, warm_up, sender
      end

      # @param sides [Hash{String => WebSide}] by name
      # @param path [String] of the page
      # @return [Hash{String => Hash}] of each side's run with the median rate: see {WebLoad.closed}, the processor time of a request in the web server,
      #   and connections
      def of(sides, path)
        sides.each_value { |side| warm(side.web, path) }
        runs = sides.transform_values { |side| [run(side, path, @seconds)] }
        (@runs - 1).times do
          sides.each do |name, side|
            last = runs[name].last
            runs[name] << run(side, path, last[:seconds]) if last[:requests].positive?
          end
        end
        runs.transform_values { |found| found.sort_by { |run| run[:rate] }[found.size / 2] }
      end

      private

      def warm(web, path)
        WARM_UPS.times { break if @sender.closed(web, path, clients: @clients, seconds: @warm_up)[:requests] >= @clients }
      end

      def run(side, path, seconds) = long_enough(side.web, path, seconds).merge(Backends.of(@server, side.application))

      def long_enough(web, path, seconds)
        while (result = requested(web, path, seconds))[:requests] + result[:errors] < @clients && seconds < LONGEST
          seconds *= 2
        end
        result.merge(seconds: seconds)
      end

      def requested(web, path, seconds)
        cpu = ServerCpu.seconds(web.pid)
        result = @sender.closed(web, path, clients: @clients, seconds: seconds)
        result[:cpu_each] = (ServerCpu.seconds(web.pid) - cpu) / result[:requests] if cpu && result[:requests].positive?
        result
      end
    end
  end
end
