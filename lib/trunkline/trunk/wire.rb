# frozen_string_literal: true

require_relative "../socket/readiness"

module Trunkline
  # The bytes between a codec and a socket. Receiving and flushing never wait; a Fiber::Scheduler sees the waits. Those without a
  # deadline have no end, and so need no timer.
  class Wire # :nodoc:
    LONGEST_WAIT = Socket::Readiness::LONGEST_WAIT
    NONE = -1

    # Of Ruby before 3.2: Async from 2.24 on asks this of whatever is waited for without an end.
    module Untimed # :nodoc:
      def timeout = nil
    end

    private_constant :LONGEST_WAIT, :NONE, :Untimed

    # @param io [Socket] connected and non-blocking
    # @param input [Bytes] what was received goes there
    # @param output [Bytes] what is to be sent lies there
    def initialize(io, input, output)
      @io = io.respond_to?(:timeout) ? io : io.extend(Untimed)
      @descriptor = io.fileno
      @input = input
      @output = output
    end

    # @return [Boolean] whether C does, of what each query goes through, what this wire would
    def native? = true

    # @return [TLSSession, nil] through which C does it
    def tls = nil

    # @return [Symbol] :received; :blocked: nothing is there; :closed: nothing will come, as the peer has closed
    # @raise [SystemCallError, ConnectionError]
    def receive = @input.receive_from(@descriptor)

    # @return [Boolean] whether all is sent
    # @raise [SystemCallError, ConnectionError]
    def flush = @output.empty? || @output.send_to(@descriptor)

    # @return [Boolean] whether everything is sent
    def flushed? = @output.empty?

    # Waits until there may be something to receive; or room to send, if there is something to send. Only the leader waits here: not
    # every scheduler can tell two fibers that wait for the same.
    #
    # @param deadline [Float, nil] on the clock of Waiting.now
    def wait(deadline = nil)
      wait_once(@output.empty?, seconds_until(deadline))
    end

    # Closing will tell the other side at once that it is of no use to send anything: TCP would have it send once more before. A Unix
    # socket needs no such thing.
    def abort
      @io.setsockopt(::Socket::Option.linger(true, 0))
    rescue SystemCallError, IOError
      # not connected any more, which is what was wanted
    end

    # Ends the connection so that a caller that waits for it notices.
    def shut_down
      @io.shutdown
    rescue SystemCallError, IOError
      # not connected any more, which is what was wanted
    end

    # A caller that comes too late finds no descriptor: the system may give its number to another file at once.
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
