# frozen_string_literal: true

require "socket"

module Trunkline
  module Socket
    # How a TCP connection notices that nobody is at the other end any more. What is nil is left to the system, as is what
    # the system does not have.
    class Keepalive
      # @param on [Boolean] whether silence is probed at all
      # @param idle [Integer, nil] seconds of silence before the first probe
      # @param interval [Integer, nil] seconds between probes
      # @param count [Integer, nil] how many probes may stay without an answer
      # @param user_timeout [Integer, nil] milliseconds that sent bytes may stay without an acknowledgement
      def initialize(on: true, idle: nil, interval: nil, count: nil, user_timeout: nil)
        @on = on
        @options = { TCP_USER_TIMEOUT: user_timeout }
        @options.update(TCP_KEEPIDLE: idle, TCP_KEEPINTVL: interval, TCP_KEEPCNT: count) if on
        @options = @options.select { |name, value| value && ::Socket.const_defined?(name) }.freeze
        freeze
      end

      # @param socket [::Socket]
      # @raise [SystemCallError]
      def apply(socket)
        socket.setsockopt(:SOCKET, :KEEPALIVE, true) if @on
        @options.each { |name, value| socket.setsockopt(::Socket::IPPROTO_TCP, ::Socket.const_get(name), value) }
      end
    end
  end
end
