# frozen_string_literal: true

require_relative "../../errors"
require_relative "../../socket/deadline_io"

module Trunkline
  module Postgres
    # What is said over a connection before it carries queries: one side after the other, in time.
    class HandshakeIO
      CHUNK = 8192
      private_constant :CHUNK

      # @param io [::Socket, OpenSSL::SSL::SSLSocket]
      # @param startup [Startup] knows what is asked, for messages
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @param timeout [Float, nil] seconds that led to the deadline, for messages
      def initialize(io, startup, deadline, timeout)
        @io = io
        @startup = startup
        @deadline = deadline
        @timeout = timeout
      end

      # A server that refuses may have closed its end before it has read everything. What went wrong is for {#read} to
      # tell: the server's reason may be there.
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
