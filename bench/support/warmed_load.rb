# frozen_string_literal: true

require_relative "backends"
require_relative "server_cpu"
require_relative "web_load"

module Trunkline
  module Bench
    # A number of clients that each request a page of a web server again as soon as they have it, once the server is warm. A page that no client has
    # got in the longest run is not requested in further ones.
    class WarmedLoad
      WARM_UP = 1  # seconds; again, until each client may have been answered
      WARM_UPS = 5 # at most
      LONGEST = 16 # seconds; a run that answers less than a request a client is made again, twice as long, up to that, and so are those after it
      private_constant :WARM_UP, :WARM_UPS, :LONGEST

      # @param server [PostgresServer]
      # @param clients [Integer]
      # @param runs [Integer]
      # @param seconds [Numeric] length of each run
      def initialize(server, clients:, runs:, seconds:)
        @server, @clients, @runs, @seconds = server, clients, runs, seconds
      end

      # @param application [String] application_name of the web server's connections
      # @return [Hash] of the run with the median rate: see {WebLoad.closed}, the processor time of a request in the web server, and connections
      def of(web, path, application)
        WARM_UPS.times { break if WebLoad.closed(web, path, clients: @clients, seconds: WARM_UP)[:requests] >= @clients }
        runs = [run(web, path, application, @seconds)]
        runs << run(web, path, application, runs.last[:seconds]) while runs.size < @runs && runs.last[:requests].positive?
        runs.sort_by { |run| run[:rate] }[runs.size / 2]
      end

      private

      def run(web, path, application, seconds) = long_enough(web, path, seconds).merge(Backends.of(@server, application))

      def long_enough(web, path, seconds)
        while (result = requested(web, path, seconds))[:requests] + result[:errors] < @clients && seconds < LONGEST
          seconds *= 2
        end
        result.merge(seconds: seconds)
      end

      def requested(web, path, seconds)
        cpu = ServerCpu.seconds(web.pid)
        result = WebLoad.closed(web, path, clients: @clients, seconds: seconds)
        result[:cpu_each] = (ServerCpu.seconds(web.pid) - cpu) / result[:requests] if cpu && result[:requests].positive?
        result
      end
    end
  end
end
