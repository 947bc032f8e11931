# frozen_string_literal: true

require_relative "../errors"
require_relative "attempt"
require_relative "keepalive"
require_relative "lookup"

module Trunkline
  module Socket
    # Connects by TCP.
    module TCP
      # Seconds within which a host that works has accepted a connection: TCP sends its first packet again after one second (RFC 6298, 2.1), so only a
      # lost packet makes it longer. If there are other addresses or hosts, they are tried then.
      ANSWER = 1.0 # :nodoc:

      module_function

      # Tries every address of the host, of IPv4 and IPv6, in the resolver's order. Each gets an equal part of the remaining time, so that a first
      # address that drops packets does not use up the time of the others.
      #
      # @param host [String] a name or an address
      # @param port [Integer]
      # @param deadline [Float, nil] on the clock of {Readiness.now}, for looking up the name and connecting
      # @param server [String] its name in errors
      # @param keepalive [Keepalive]
      # @param random [Random, nil] shuffles the addresses
      # @param answer [Float, nil] seconds within which one of the addresses must have accepted the connection, once they are known
      # @yieldparam addresses [Array<Addrinfo>] that were found
      # @yieldreturn [Array<Addrinfo>] the same, in the order in which they are tried
      # @return [::Socket] connected, non-blocking, with TCP_NODELAY
      # @raise [ConnectionError]
      def connect(host, port, deadline, server: "#{host}:#{port}", keepalive: Keepalive.new, random: nil, answer: nil)
        addresses = resolve(host, port, deadline, server)
        deadline = [deadline, Readiness.deadline(answer)].compact.min
        addresses = addresses.shuffle(random: random) if random
        addresses = yield addresses if block_given?
        failures = addresses.each_with_index.map do |address, index|
          attempt(address, share(deadline, addresses.size - index), keepalive) { |socket| return socket }
        end
        raise ConnectionError.new("cannot connect: #{failures.uniq.join("; ")}", server: server)
      end

      # @param host [String] a name or an address
      # @param port [Integer]
      # @return [Array<Addrinfo>] in the resolver's order
      # @raise [SocketError] there are none
      def addresses(host, port) = Lookup.addresses(host, port, nil)

      def resolve(host, port, deadline, server)
        addresses = Lookup.addresses(host, port, deadline) or raise SocketError, "the name was not looked up in time"
        raise SocketError, "the name has no address" if addresses.empty?

        addresses
      rescue SocketError, SystemCallError, ThreadError => error
        raise ConnectionError.new("cannot find the host #{host.inspect}: #{error.message}", server: server)
      end

      def share(deadline, parts)
        limit = Readiness.deadline(ANSWER) if parts > 1
        [*limit, *(Readiness.deadline((deadline - Readiness.now) / parts) if deadline)].min
      end

      # Yields the socket, or returns the reason why there is none.
      def attempt(address, deadline, keepalive)
        socket = Attempt.connect(address, deadline) { |fresh| prepare(fresh, keepalive) }
        socket ? yield(socket) : "#{address.ip_address}: timed out"
      rescue SystemCallError => error
        "#{address.ip_address}: #{reason(error)}"
      end

      def prepare(socket, keepalive)
        socket.setsockopt(:TCP, :NODELAY, true)
        keepalive.apply(socket)
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
