# frozen_string_literal: true

require "socket"
require_relative "readiness"

module Trunkline
  module Socket
    # One attempt to connect to one address.
    module Attempt
      # Seconds between two attempts at a Unix socket whose queue of connections is full; there is no event for room in it. It is a bound, not tuned:
      # each attempt is one system call, and a login takes the server some milliseconds.
      PAUSE = 0.01
      private_constant :PAUSE

      module_function

      # @param address [Addrinfo]
      # @param deadline [Float, nil] on the clock of {Readiness.now}
      # @return [::Socket, nil] connected and non-blocking; nil: the deadline has passed
      # @raise [SystemCallError]
      def connect(address, deadline)
        socket = ::Socket.new(address.pfamily, ::Socket::SOCK_STREAM)
        yield socket if block_given?
        connected = establish(socket, address, deadline)
        socket if connected
      ensure
        socket&.close unless connected
      end

      # Checks again after every wait: a wait may end early, and only the socket shows whether it is connected.
      def establish(socket, address, deadline)
        until socket.connect_nonblock(address, exception: false) == 0
          return false unless wait(socket, deadline)
        end
        true
      rescue Errno::EALREADY
        retry if wait(socket, deadline)
        false
      rescue Errno::EAGAIN
        return false if deadline && Readiness.now + PAUSE > deadline

        Readiness.pause(PAUSE)
        retry
      end

      def wait(socket, deadline)
        return false unless Readiness.wait_writable(socket, deadline)

        error = socket.getsockopt(:SOCKET, :ERROR).int
        raise SystemCallError.new(nil, error) unless error.zero?

        true
      end

      private_class_method :establish, :wait
    end

    private_constant :Attempt
  end
end
