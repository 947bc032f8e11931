# frozen_string_literal: true

require_relative "../errors"
require_relative "attempt"

module Trunkline
  module Socket
    # Connects by TCP.
    module TCP
      module_function

      # Tries every address of the host in the resolver's order. Each gets an equal part of the time that is left, so
      # that a first address that swallows packets does not cost the others their turn. Looking up the name is left to
      # the system or the Fiber::Scheduler and has limits of its own.
      #
      # @param host [String] a name or an address
      # @param port [Integer]
      # @param deadline [Float, nil] on the clock of {Readiness.now}
      # @param server [String] what errors call it
      # @return [::Socket] connected, non-blocking, without delay of small packets, with keepalive
      # @raise [ConnectionError]
      def connect(host, port, deadline, server: "#{host}:#{port}")
        addresses = resolve(host, port, server)
        failures = addresses.each_with_index.map do |address, index|
          attempt(address, share(deadline, addresses.size - index)) { |socket| return socket }
        end
        raise ConnectionError.new("cannot connect: #{failures.uniq.join("; ")}", server: server)
      end

      def resolve(host, port, server)
        addresses = Addrinfo.getaddrinfo(host, port, nil, :STREAM)
        raise SocketError, "the name has no address" if addresses.empty?

        addresses
      rescue SocketError => error
        raise ConnectionError.new("cannot find the host #{host.inspect}: #{error.message}", server: server)
      end

      def share(deadline, parts)
        Readiness.deadline((deadline - Readiness.now) / parts) if deadline
      end

      # Yields the socket, or returns why there is none.
      def attempt(address, deadline)
        socket = Attempt.connect(address, deadline) { |fresh| prepare(fresh) }
        socket ? yield(socket) : "#{address.ip_address}: timed out"
      rescue SystemCallError => error
        "#{address.ip_address}: #{reason(error)}"
      end

      def prepare(socket)
        socket.setsockopt(:TCP, :NODELAY, true)
        socket.setsockopt(:SOCKET, :KEEPALIVE, true)
      end

      def reason(error)
        reason = SystemCallError.new(nil, error.errno).message.downcase
        return reason unless error.is_a?(Errno::ECONNREFUSED)

        "#{reason} (is the server running there, and listening for TCP connections?)"
      end

      private_class_method :resolve, :share, :attempt, :prepare, :reason
    end
  end
end
