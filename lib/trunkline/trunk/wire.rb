# frozen_string_literal: true

require_relative "../socket/readiness"

module Trunkline
  # The bytes between a codec and a socket. Receiving and flushing never wait; waits go through the Fiber::Scheduler. A wait without a deadline has no
  # timeout, and so needs no timer.
  class Wire # :nodoc:
    LONGEST_WAIT = Socket::Readiness::LONGEST_WAIT
    NONE = -1 # no descriptor

    # For Ruby before 3.2: Async from 2.24 on calls this method of what it waits for without a timeout.
    module Untimed # :nodoc:
      def timeout = nil
    end

    private_constant :LONGEST_WAIT, :NONE, :Untimed

    # @param io [Socket] connected and non-blocking
    # @param input [Bytes] received bytes are appended to it
    # @param output [Bytes] bytes to send
    def initialize(io, input, output)
      @io = io.respond_to?(:timeout) ? io : io.extend(Untimed)
      @descriptor = io.fileno
      @input = input
      @output = output
    end

    # @return [Boolean] whether C reads, writes and waits in place of this wire on the path of every query
    def native? = true

    # @return [TLSSession, nil] through which C does so
    def tls = nil

    # @return [Symbol] :received; :blocked: nothing has arrived; :closed: the peer has closed
    # @raise [SystemCallError, ConnectionError]
    def receive = @input.receive_from(@descriptor)

    # @return [Boolean] whether everything is sent
    # @raise [SystemCallError, ConnectionError]
    def flush = @output.empty? || @output.send_to(@descriptor)

    # @return [Boolean] whether everything is sent
    def flushed? = @output.empty?

    # Waits until the socket is readable, or writable if there is output. Only the leader waits here: not every scheduler supports two fibers that
    # wait for the same descriptor.
    #
    # @param deadline [Float, nil] on the clock of Waiting.now
    def wait(deadline = nil)
      wait_once(@output.empty?, seconds_until(deadline))
    end

    # Makes closing send a reset, so that the other side stops sending at once: with TCP it would otherwise send once more first. A Unix socket does
    # not need this.
    def abort
      @io.setsockopt(::Socket::Option.linger(true, 0))
    rescue SystemCallError, IOError
      # not connected any more, which has the same effect
    end

    # Ends the connection so that a caller that waits on the socket wakes.
    def shut_down
      @io.shutdown
    rescue SystemCallError, IOError
      # not connected any more, which has the same effect
    end

    # A later call finds no descriptor: the system may give its number to another file at once.
    def close
      @descriptor = NONE
      @io.close
    rescue IOError
      # closed meanwhile
    end

    private

    def wait_once(only_readable, seconds)
      Socket::Readiness.wait_once(@io, only_readable ? IO::READABLE : IO::READABLE | IO::WRITABLE, seconds)
    end

    def seconds_until(deadline) = deadline && Deadlines.left(deadline, LONGEST_WAIT)
  end
  private_constant :Wire
end
