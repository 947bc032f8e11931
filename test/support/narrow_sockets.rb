# frozen_string_literal: true

require "minitest/mock"
require "socket"

# Sockets that hold little, so that both sides have to wait until the other one reads: a server that cannot send its answers reads no more requests.
module NarrowSockets
  BYTES = 4096 # that each of a socket's two buffers is to hold; Linux makes it twice as many, with its own data
  # Of a TCP segment. With Linux's own choice of 2048 and more, a receiver that had read everything offered 1968 bytes, and the sender waited for room for a
  # whole segment, or for its timer of seconds, at each of them: for minutes in all (ss: persist, rwnd_limited 99 %).
  SEGMENT = 512

  module_function

  # Has effect on TCP before the connection is made. A socket that listens gives its buffers to those that it accepts.
  #
  # @param socket [BasicSocket]
  def narrow(socket)
    %i[SNDBUF RCVBUF].each { |buffer| socket.setsockopt(:SOCKET, buffer, BYTES) }
    socket.setsockopt(:TCP, :MAXSEG, SEGMENT) if socket.local_address.ip?
  end

  # Every socket that the client connects within the block is narrow.
  def narrowed
    attempt = Trunkline::Socket.const_get(:Attempt)
    connect = attempt.method(:establish)
    narrowing = lambda do |socket, *rest|
      narrow(socket)
      connect.call(socket, *rest)
    end
    attempt.stub(:establish, narrowing) { yield }
  end
end
