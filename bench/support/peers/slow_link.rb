# frozen_string_literal: true

require "socket"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Not a side of a comparison, but the way there: passes on what comes from a client to a server and back, each byte a while after
      # it came, as a long wire does, with as much on it as there is.
      class SlowLink
        CHUNK = 1 << 18
        FULL = 0.0005 # seconds after which a socket that took nothing is tried again
        private_constant :CHUNK, :FULL

        # One direction. On its way: pairs of bytes and the time at which they are due.
        Lane = Struct.new(:from, :to, :on_its_way)
        private_constant :Lane

        # @param port [Integer] of the server on 127.0.0.1
        # @param delay [Float] seconds on the way and back, together
        def initialize(port:, delay:)
          @port = port
          @delay = delay / 2
          @listener = TCPServer.new("127.0.0.1", 0)
          @lanes = {}
          Thread.new { loop { turn } }
        end

        # @return [Integer] where it listens
        def port = @listener.addr[1]

        private

        def turn
          readable, = IO.select([@listener, *@lanes.keys], nil, nil, pause)
          readable.to_a.each { |socket| socket.equal?(@listener) ? link(socket.accept) : take(@lanes[socket]) }
          now = Measure.now
          @lanes.values.each { |lane| give(lane) while lane.on_its_way.any? && lane.on_its_way.first.last <= now }
        end

        # Seconds until something is due; nil: nothing is on its way.
        def pause
          due = @lanes.each_value.filter_map { |lane| lane.on_its_way.first&.last }.min
          due && [due - Measure.now, 0].max
        end

        def link(client)
          server = TCPSocket.new("127.0.0.1", @port)
          [[client, server], [server, client]].each do |from, to|
            to.setsockopt(:TCP, :NODELAY, true)
            @lanes[from] = Lane.new(from, to, [])
          end
        end

        def take(lane)
          return unless lane # the other direction of a link that was cut in this turn

          bytes = lane.from.read_nonblock(CHUNK, exception: false)
          bytes ? lane.on_its_way.push([bytes, Measure.now + @delay]) : cut(lane)
        rescue SystemCallError
          cut(lane)
        end

        def give(lane)
          bytes, = lane.on_its_way.shift
          sent = lane.to.write_nonblock(bytes, exception: false)
          return if sent == bytes.bytesize

          sent = 0 if sent == :wait_writable
          lane.on_its_way.unshift([bytes.byteslice(sent..), Measure.now + FULL])
        rescue SystemCallError
          cut(lane)
        end

        def cut(lane)
          [lane.from, lane.to].each { |socket| @lanes.delete(socket)&.from&.close }
        end
      end
    end
  end
end
