# frozen_string_literal: true

require_relative "lane"

class GateProxy
  # One client's connection, and the server's behind it.
  class Link
    # @param troubles [Hash{Symbol => Troubles}] by direction
    def initialize(client, server, policies, troubles)
      @sockets = [client, server]
      @sockets.each { |socket| NarrowSockets.narrow(socket) } if policies[:requests].narrow?
      @lanes = {
        requests: Lane.new(client, server, policies[:requests], "S", MessageScanner.new(frontend: true), troubles[:requests]),
        answers: Lane.new(server, client, policies[:answers], "Z", MessageScanner.new(frontend: false), troubles[:answers])
      }
    end

    def [](direction)
      @lanes.fetch(direction)
    end

    def lanes
      @lanes.values
    end

    # When a peer has closed, and its bytes are all forwarded, the whole connection has ended.
    def over?
      lanes.any? { |lane| lane.over? || lane.cut? }
    end

    # @return [String] what has come and gone, to find the reason of a hang
    def describe(now) = @lanes.map { |direction, lane| "#{direction}: #{lane.describe(now)}" }.join("; ")

    def close
      @sockets.each(&:close)
    end
  end
end
