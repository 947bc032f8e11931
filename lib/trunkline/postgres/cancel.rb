# frozen_string_literal: true

require_relative "../socket/stream"
require_relative "target"

module Trunkline
  module Postgres
    # Asks a server to end what one of its sessions is doing. That takes a connection of its own, which carries nothing else
    # (PostgreSQL manual, "Canceling Requests in Progress").
    module Cancel # :nodoc:
      CODE = (1234 << 16) | 5678
      CHUNK = 64
      private_constant :CODE, :CHUNK

      module_function

      # Returns when the server has dealt with the request: it closes the connection then, and this request cancels nothing
      # later. Whether there was anything to cancel it does not tell.
      #
      # @param target [Target] of the session's connection
      # @param backend_pid [Integer] of the session
      # @param secret_key [String] of the session: 4 bytes, since protocol 3.2 up to 256
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}; nil waits without end
      # @return [void]
      # @raise [ConnectionError] there is no connection, or no answer in time; if {Error#sent?} something may have been, or
      #   may still be, cancelled
      def send(target, backend_pid, secret_key, deadline:)
        io = target.open(deadline)
        ask(io, message(backend_pid, secret_key), deadline)
        wait_for_end(io, deadline)
      rescue ConnectionError => error
        raise if error.server

        raise ConnectionError.new(error.message, server: target.server, sent: error.sent?)
      ensure
        io&.close
      end

      # @return [String] the CancelRequest
      def message(backend_pid, secret_key)
        [12 + secret_key.bytesize, CODE, backend_pid, secret_key].pack("NNNa*")
      end

      def ask(io, request, deadline)
        Socket::Stream.write(io, request, deadline) or raise ConnectionError, "the request to cancel could not be sent in time"
      rescue SystemCallError => error
        reason = SystemCallError.new(nil, error.errno).message.downcase
        raise ConnectionError, "the request to cancel could not be sent: #{reason}"
      end

      # Whatever comes before the end means nothing; some servers close so abruptly that the connection is reset.
      def wait_for_end(io, deadline)
        while (bytes = Socket::Stream.read(io, CHUNK, deadline)); end
        return if bytes.nil?

        raise ConnectionError.new("the server has not dealt with the request to cancel in time", sent: true)
      rescue SystemCallError
        nil
      end

      private_class_method :message, :ask, :wait_for_end
    end
    private_constant :Cancel
  end
end
