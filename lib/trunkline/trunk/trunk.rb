# frozen_string_literal: true

require_relative "canceller"
require_relative "loss"
require_relative "output_writer"
require_relative "retirement"
require_relative "stall"
require_relative "stream_reader"
require_relative "waiting"
require_relative "wires"

module Trunkline
  # One connection that many callers share. It has no fiber or thread of its own: of the waiting callers, one is the leader and reads for all until
  # its own answer is there; the others sleep. Then another becomes the leader.
  #
  # A submitted request leaves its bytes in the output. They are written:
  #
  # * without a leader, or with an empty pipe: by the submitter, at once;
  # * while the leader is awake, or has been woken: by the leader, before it waits;
  # * while the leader sleeps: by the first submitter, after giving the others a turn to submit too.
  #
  # C performs a request and runs the connection: see ConnectionLoop. What is rare is here, and every change of state is one call of ConnectionState,
  # Request or the codec, so nothing needs a lock.
  class Trunk < ConnectionLoop # :nodoc:
    # @return [Object, nil] what its opener knows about the server
    attr_accessor :origin

    # @return [Integer, nil] process ID of the server's backend for this connection, as reported to its opener
    attr_accessor :server_process

    # @return [Boolean] whether a pooler is in between, so that session state that is left behind may be found by other clients
    attr_accessor :pooled
    alias pooled? pooled

    # @return [#limit, #full, #first, nil] what was found out about other processes that divide the server's connections: see {Quota}
    attr_accessor :share

    attr_reader :server

    # @return [StreamReader] for callers that wait for something other than the end of one answer
    attr_reader :reader

    # @return [::Socket] only to wait on
    attr_reader :io

    # @param io [Socket, OpenSSL::SSL::SSLSocket] connected and non-blocking
    # @param codec [Object] submit, receive, fail, close, input, output, idle?
    # @param server [String] label for messages
    # @param pool [Object] notified when the trunk is free or lost: callers_waiting (a Flag), freed, lost(trunk)
    # @param canceller [#call, nil] takes a deadline on the clock of Waiting.now, and a block; sends a cancel request to the server over another
    #   connection, and calls the block when the server has processed it, also if the caller is interrupted meanwhile; nil: no cancel request can be
    #   sent
    # @param silence [SilenceWatch, nil] checks a server that owes an answer and sends nothing; nil: it is not checked
    def initialize(io, codec, server:, pool:, canceller: nil, silence: nil)
      @wire = Wires.over(io, codec.input, codec.output)
      @io = io.to_io
      @codec = codec
      @server = server
      @pool = pool
      @callers_waiting = pool.callers_waiting
      @woken = []
      super(@state = ConnectionState.new(codec, io.to_io.fileno).attach_io(@wire, (@io if @wire.native?), @wire.tls, @callers_waiting, @woken))
      @state.probe_silence_after((@silence = silence).after) if silence
      @canceller = Canceller.new(self, @state, codec, @wire, pool, canceller)
      @reader = StreamReader.new(self, @state, codec, @wire)
      @writer = OutputWriter.new(self, @state, @wire)
      @retirement = Retirement.new(self, @state, @canceller)
      @stall = Stall.new(self, @state, codec)
      @origin = @server_process = @write_failure = nil
      @pooled = false
      @share = nil
    end

    # @return [Boolean] whether no caller is active here, and none is about to end a request that it abandoned
    def deserted? = @state.deserted?

    def admits?(scheduler) = @state.admits?(scheduler)
    def reserve = @state.reserve
    def release
      self.user = nil
      @state.release
    end

    # Marks the connection as expired: it is retired when it is free.
    def expire = @state.expire

    def inherited? = @state.inherited?
    def active = @state.active

    # Sends the request and does not wait for its answer.
    #
    # @return [Boolean] false: this trunk could not take the request, which is unchanged
    def dispatch(request)
      Waiting.without_interrupts(request.scheduler) do
        @state.enter(request) ? send_off(request) : false
      end
    end

    # Waits for the answer to a request that was sent over this trunk.
    #
    # @param wait_until [Float, nil] when to stop waiting, on the clock of Waiting.now; the request may not be done then
    def await(request, wait_until = nil)
      return lose_inherited if inherited?

      request.wait_until = wait_until
      Waiting.without_interrupts(request.scheduler) do
        @canceller.ending do
          begin
            await_answer(request)
          ensure
            leave(request)
          end
          @canceller.expire(request) if request.deadline_passed?
        end
      end
    end

    # The caller for which this trunk was kept does not need it.
    def leave_unused(request)
      leave(request) if request.active?
    end

    # Checks an idle connection: reads what the server has sent unrequested, and detects that it has closed, before anything is written.
    #
    # @param by [Float] when reading stops, on the clock of Waiting.now
    # @return [Boolean] false: the connection is lost
    def alive?(by = Float::INFINITY)
      while (received = @wire.receive) == :received
        decode_input
        break if Waiting.now >= by
      end
      lose(closing_reason) if received == :closed || @codec.closing_error
      loss.nil?
    rescue SystemCallError, IOError, ConnectionError => error
      lose_over(error)
      false
    end

    # Ends the connection. Requests in flight fail with a Loss.
    #
    # @param reason [String] one sentence
    def close(reason)
      return lose_inherited if inherited?

      if @codec.idle?
        @codec.close
        flush
      end
      lose(reason, closed: true)
    end

    # Takes no more requests, and is closed when those in flight are answered: see Retirement.
    def retire(reason) = @retirement.begin(reason)
    def retire_now = @retirement.finish

    # Closes the connection if the event loop of its callers does not run and others wait for a connection, or for an answer: see Stall.
    def end_stall
      Waiting.without_interrupts { @stall.end_if_long } unless loss
    end

    # If no active caller would: writes remaining output and reads answers for callers that have left or do not wait. A connection with no more
    # answers outstanding is idle then.
    def read_unattended
      Waiting.without_interrupts { exchange if deserted? && !@codec.idle? && loss.nil? }
    end

    # Marks the connection as lost in a forked child: the server session belongs to the parent, and is left alone.
    def lose_inherited = lose("this connection belongs to the parent process", closed: true)

    # Ends requests early: see the methods of the same names in Canceller.
    def cancel(request, by) = @canceller.cancel(request, by)
    def cancel_abandoned(by) = Waiting.without_interrupts { @canceller.ending { @canceller.cancel_abandoned(by) } }
    def clear(waiter, by) = @canceller.clear(waiter, by)

    def cancels = @canceller.cancels
    def abandoned = @canceller.abandoned
    def quarantined? = @canceller.quarantined?

    # Called when the last caller leaves: cancels abandoned requests and writes remaining output; closes the socket of a lost connection.
    def end_last_use
      return active.zero? && hang_up if loss

      @canceller.cancel_abandoned
      flush
      @canceller.end_unattended
      @retirement.finish
    end

    # Ends the connection, and all requests in flight with a Loss. The leader may sleep on the descriptor: shutting down the socket wakes it, and the
    # last active caller closes it.
    def lose(reason, closed: false)
      Waiting.without_interrupts { end_with_loss(reason, closed) } unless loss
    end

    # The server has ended the connection.
    def closed_by_server = lose(closing_reason)

    # Ends the request of a caller that was interrupted, wherever it waited. C calls this method and those that follow.
    def abandon(request)
      Waiting.unpark(request)
      wake_all
    ensure
      @canceller.ending { leave_and_abandon(request) }
    end

    # The deadline of the request has passed.
    def expire_request(request)
      @canceller.ending do
        leave(request)
        @canceller.expire(request)
      end
    end

    # Wakes the callers whose answers were read.
    def after_receive
      wake_all
      @state.lift
      @canceller.cancel_abandoned_ahead
      @pool.freed if @callers_waiting.on? && @state.room?
    end

    def write_out(request) = @writer.write_out(request)

    # A caller has left. `succession` is the next leader (a Request whose waiter must be woken), :none, or :led (another caller leads).
    def after_leave(succession)
      case succession
      when :none then end_last_use
      when Request then succession.wake
      end
      @pool.freed if @callers_waiting.on? && @state.active.zero?
    end

    # The server has ended the connection, and may have sent the reason, which also shows what it has begun: that is read before the connection counts
    # as lost, by the leader, if there is one.
    def write_failed(error)
      @write_failure = error.message
      return @wire.shut_down if @state.led?

      @reader.read_arrived
      lose(closing_reason)
    end

    def lose_over(error) = lose(@codec.closing_error_message || error.message) # a server that closes with unread bytes resets the connection

    def probe_silence = @silence.check(self)
    def cancel_abandoned_ahead = @canceller.cancel_abandoned_ahead
    def quarantine_altered = @canceller.quarantine("a statement has left session state on this shared connection")

    private

    # If everything in flight was abandoned, remaining output is not worth writing.
    def exchange
      flush
      @reader.read_arrived
      @canceller.end_unattended if deserted?
    end

    # A caller that is interrupted while it writes could not wait for the answer, so its request is abandoned.
    def send_off(request)
      submitted = submit(request)
      flush if submitted
      write_out(request) if submitted
      through = submitted
    ensure
      through.nil? ? abandon(request) : leave(request)
    end

    def leave_and_abandon(request)
      leave(request)
    ensure
      @canceller.abandon(request)
    end

    def end_with_loss(reason, closed)
      self.loss = Loss.new(reason, true, closed).freeze
      @state.lose
      Loss.new(reason, false, closed).freeze.then { |unsent| @codec.fail(@woken) { |sent| sent ? loss : unsent } }
      @pool.lost(self)
      active.zero? || inherited? ? hang_up : @wire.shut_down
    ensure
      wake_all
    end

    def hang_up
      @state.forget_descriptor
      @wire.close
    end

    def closing_reason = @codec.closing_error_message || @write_failure || "the server closed the connection"
  end
  private_constant :Trunk
end
