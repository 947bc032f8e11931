# frozen_string_literal: true

require_relative "../../socket/deadline_io"
require_relative "../../trunk/fenced_cancels"
require_relative "../../trunk/waiting"
require_relative "endpoint"

module Trunkline
  module Postgres
    # Sends a CancelRequest for a session. It needs a connection of its own, which transfers nothing else (PostgreSQL manual, "Canceling Requests in
    # Progress").
    class Cancel # :nodoc:
      CODE = (1234 << 16) | 5678 # the protocol's
      CHUNK = 64 # bytes that are read at a time, a bound: the server sends none
      # Seconds that an interrupted caller stays at most to finish what it has begun: if the CancelRequest is not sent, the server continues; and what a
      # late one would cancel is unknown.
      GRACE = FencedCancels::LEEWAY
      private_constant :CODE, :CHUNK, :GRACE

      # Returns when the server has processed the CancelRequest: it closes the connection then, and this request cancels nothing later. The server
      # does not report whether it has cancelled anything.
      #
      # @param endpoint [Endpoint] of the session's connection
      # @param backend_pid [Integer] of the session
      # @param secret_key [String] of the session: 4 bytes, since protocol 3.2 up to 256
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}; nil: no limit
      # @param unfinished [UnfinishedCancels, nil] takes over a connection that the server has not closed by then
      # @yield when the server has processed the request; also if the caller is interrupted meanwhile
      # @return [void]
      # @raise [ConnectionError] there is no connection, or the server has not closed it in time; if {Error#sent?}, something may have been, or may
      #   still be, cancelled
      def self.deliver(endpoint, backend_pid, secret_key, deadline:, unfinished: nil, &dealt_with)
        new(endpoint, [12 + secret_key.bytesize, CODE, backend_pid, secret_key].pack("NNNa*"), unfinished, &dealt_with).deliver(deadline)
      end

      # Ignores anything that arrives before the end; some servers close so abruptly that the connection is reset.
      #
      # @param io [::Socket, OpenSSL::SSL::SSLSocket] over which a CancelRequest was sent
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [Boolean] whether the server has closed it by then
      def self.wait_for_end(io, deadline)
        while (bytes = Socket::DeadlineIO.read(io, CHUNK, deadline)); end
        bytes.nil?
      rescue SystemCallError
        true
      end

      # @param message [String] the CancelRequest
      def initialize(endpoint, message, unfinished, &dealt_with)
        @endpoint = endpoint
        @message = message
        @unfinished = unfinished
        @dealt_with = dealt_with
        @io = nil
        @sent = false
      end

      # @param deadline [Float, nil]
      def deliver(deadline)
        through = attempt(deadline)
      rescue ConnectionError => error
        through = true
        raise if error.server

        raise ConnectionError.new(error.message, server: @endpoint.server, sent: error.sent?)
      ensure
        Thread.handle_interrupt(Waiting::NEVER) do
          finish([deadline, Waiting.now + GRACE].compact.min) unless through
          close_or_hand_over
        end
      end

      private

      # @return [true]
      def attempt(deadline)
        @io ||= @endpoint.open(deadline)
        send_message(deadline) unless @sent
        wait_for_end(deadline) unless @io.closed? # it is closed if the first attempt was interrupted after its end
        @io.close
        @dealt_with&.call
        true
      end

      # The caller is interrupted: finishes within GRACE.
      def finish(deadline)
        attempt(deadline)
      rescue ConnectionError
        nil
      end

      def close_or_hand_over
        return if @io.nil? || @io.closed?

        @sent && @unfinished ? @unfinished.add(@io) : @io.close
      end

      def send_message(deadline)
        Socket::DeadlineIO.write(@io, @message, deadline) or raise ConnectionError, "the CancelRequest could not be sent in time"
        @sent = true
      rescue SystemCallError => error
        reason = SystemCallError.new(nil, error.errno).message.downcase
        raise ConnectionError, "the CancelRequest could not be sent: #{reason}"
      end

      def wait_for_end(deadline)
        Cancel.wait_for_end(@io, deadline) or raise ConnectionError.new("the server has not processed the CancelRequest in time", sent: true)
      end
    end
    private_constant :Cancel
  end
end
