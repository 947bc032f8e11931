# frozen_string_literal: true

require "socket"
require "uri"
require_relative "../measure"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # The least that a client can do: each answer that comes is counted, not decoded, and the next query sent for it, all from one loop.
      # What it gets through is what the way there, the server and these processors bear with so many on their way.
      class CountingPipelines
        STARTUP = "\0\3\0\0user\0postgres\0database\0postgres\0\0".b # version 3.0
        READY = "Z\0\0\0\5I".b
        PREPARED = 1000 # queries that are asked again and again
        CHUNK = 1 << 18
        private_constant :STARTUP, :READY, :PREPARED, :CHUNK

        # @param callers [Integer] queries on their way at once
        def initialize(uri:, rows:, callers:, connections:)
          @callers = callers
          @queries = Array.new(PREPARED) { |number| query(Accounts.id(number, rows)) }
          @left = @sent = 0
          @sockets = Array.new(connections) { open(URI(uri).port) }
        end

        # @param ids [Array<Integer>]
        # @return [Array<Integer>] their balances
        def answers(ids:)
          ids.map { |id| ask(@sockets.first, query(id))[/D....\x00\x01....(\d+)C/mn, 1].to_i }
        end

        # @param count [Integer]
        # @return [Hash] wall, cpu, objects; result, the number of queries made
        def measure(count:)
          Measure.run do
            @left = count
            @rests = @sockets.to_h { |socket| [socket, "".b] }
            @sockets.each { |socket| send_more(socket, @callers / @sockets.size) }
            answered = 0
            answered += IO.select(@sockets).first.sum { |socket| take(socket) } while answered < count
            count
          end
        end

        private

        def open(port)
          socket = TCPSocket.new("127.0.0.1", port)
          socket.setsockopt(:TCP, :NODELAY, true)
          ask(socket, [STARTUP.bytesize + 4].pack("N") + STARTUP)
          ask(socket, message("P", "balance\0#{Accounts::SELECT}\0\0\0") + message("S"))
          socket
        end

        def message(type, body = "") = type + [body.bytesize + 4].pack("N") + body

        # The parameter as an integer of four bytes, the result as text.
        def query(id)
          message("B", "\0balance\0#{[1, 1, 1, 4, id, 0].pack("nnnNNn")}") + message("E", "\0\0\0\0\0") + message("S")
        end

        def ask(socket, bytes)
          socket.write(bytes)
          answer = "".b
          answer << socket.readpartial(CHUNK) until answer.end_with?(READY)
          answer
        end

        # @return [Integer] how many were answered
        def take(socket)
          bytes = @rests[socket] << socket.readpartial(CHUNK)
          answered = bytes.scan(READY).size
          @rests[socket] = bytes.byteslice(bytes.rindex(READY) + READY.bytesize..) if answered.positive?
          send_more(socket, answered)
          answered
        end

        def send_more(socket, count)
          count = [count, @left].min
          return if count.zero?

          @left -= count
          socket.write(Array.new(count) { @queries[(@sent += 1) % PREPARED] }.join)
        end
      end
    end
  end
end
