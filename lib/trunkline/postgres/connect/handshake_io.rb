# frozen_string_literal: true

require_relative "../../errors"
require_relative "../../socket/deadline_io"

module Trunkline
  module Postgres
    # Reads and writes during a handshake, in which both sides take turns, within a deadline.
    class HandshakeIO
      CHUNK = 8192 # bytes that are read at a time, a bound: more than the whole answer to a login
      private_constant :CHUNK

      # @param io [::Socket, OpenSSL::SSL::SSLSocket]
      # @param startup [Startup] names the current stage, for messages
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @param timeout [Float, nil] seconds of that deadline, for messages
      def initialize(io, startup, deadline, timeout)
        @io = io
        @startup = startup
        @deadline = deadline
        @timeout = timeout
      end

      # A server that refuses a session may close its end before it has read everything. A failed write is therefore ignored: {#read} finds the
      # server's reason.
      #
      # @param bytes [String]
      # @raise [ConnectionError]
      def write(bytes)
        in_time(Socket::DeadlineIO.write(@io, bytes, @deadline))
      rescue SystemCallError
        nil
      end

      # @return [String]
      # @raise [ConnectionError]
      def read
        bytes = Socket::DeadlineIO.read(@io, CHUNK, @deadline)
        in_time(bytes != false)
        bytes || raise(@startup.end_of_stream)
      rescue Errno::ECONNRESET
        raise @startup.end_of_stream
      rescue SystemCallError => error
        reason = SystemCallError.new(nil, error.errno).message.downcase
        raise ConnectionError, "the connection broke during #{@startup.stage}: #{reason}"
      end

      private

      def in_time(ready)
        return if ready

        raise ConnectionError, format("no answer within %<timeout>g s (connect_timeout) during %<stage>s", timeout: @timeout, stage: @startup.stage)
      end
    end

    private_constant :HandshakeIO
  end
end
