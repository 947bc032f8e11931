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
  # One connection that many callers share. It has no fiber or thread of its own: of the callers that wait, one leads and
  # reads for all until its own answer is there; the others sleep. Then the lead goes to another.
  #
  # A submitted request leaves its bytes in the output. They are written:
  #
  # * without a leader, or with an empty pipe: by the submitter, at once;
  # * while the leader is awake, or on its way: by the leader, before it waits;
  # * while the leader sleeps: by the first submitter, after giving the others a turn to submit too.
  #
  # A request is performed, and its connection driven, in C: see ConnectionLoop. What is rare is here, and every change of state is one call of
  # ConnectionState, Request or the codec, so nothing needs a lock.
  class Trunk < ConnectionLoop # :nodoc:
    # @return [#alive?, nil] what has it for its own; nil: nothing has, or as long as the client is open
    attr_accessor :user

    # @return [Object, nil] what its opener knows of the server
    attr_accessor :origin

    # @return [Integer, nil] the server's process for this connection, as its opener was told
    attr_accessor :server_process

    # @return [Boolean] whether what is left behind in a session may be found by others, as a pooler stands in between
    attr_accessor :pooled
    alias pooled? pooled

    # @return [#limit, #full, #first, nil] what was found of others that have their part of what the server takes: see {Quota}
    attr_accessor :share

    attr_reader :codec, :state, :server, :loss

    # @return [StreamReader] for callers that wait for something else than the end of one answer
    attr_reader :reader

    # @return [::Socket] to wait on, and for nothing else
    attr_reader :io

    # @param io [Socket, OpenSSL::SSL::SSLSocket] connected and non-blocking
    # @param codec [Object] submit, receive, fail, close, input, output, idle?
    # @param server [String] label for messages
    # @param pool [Object] told when the trunk is free or lost: crowded (a Flag), freed, lost(trunk)
    # @param canceller [#call, nil] gets a time on the clock of Waiting.now, and a block; asks the server, by another connection, to
    #   cancel what it does for this one, and calls the block when the server has dealt with that, also where the caller is interrupted
    #   meanwhile; nil: there is no way to ask
    # @param silence [SilenceWatch, nil] looks into what the server owes; nil: no silence is too long
    def initialize(io, codec, server:, pool:, canceller: nil, silence: nil)
      @wire = Wires.over(io, codec.input, codec.output)
      @io = io.to_io
      @codec = codec
      @server = server
      @pool = pool
      @crowded = pool.crowded
      @woken = []
      super(@state = ConnectionState.new(codec, io.to_io.fileno).equip(@wire, (@io if @wire.native?), @wire.tls, @crowded, @woken))
      @state.look_into_silence_after((@silence = silence).after) if silence
      @canceller = Canceller.new(self, @state, codec, @wire, pool, canceller)
      @reader = StreamReader.new(self, @state, codec, @wire)
      @writer = OutputWriter.new(self, @state, @wire)
      @retirement = Retirement.new(self, @state, @canceller)
      @stall = Stall.new(self, @state, codec)
      @loss = @user = @origin = @server_process = @write_failure = nil
      @pooled = false
      @share = nil
    end

    # @return [Boolean] whether no caller is active here, and none is about to end a request that it abandoned
    def deserted? = @state.deserted?

    def idle? = @state.deserted? && @codec.idle? && !@state.shut?
    def admits?(scheduler) = @state.admits?(scheduler)
    def reserve = @state.reserve
    def release
      @user = nil
      @state.release
    end

    # Counts the connection as old from now on: it is retired when it is free.
    def expire = @state.expire

    def inherited? = @state.inherited?
    def active = @state.active

    # Sends the request and does not wait for its answer.
    #
    # @return [Boolean] false: this trunk could not take it, and the request is as it was
    def dispatch(request)
      Waiting.undisturbed(request.scheduler) do
        @state.enter(request) ? send_off(request) : false
      end
    end

    # Waits for the answer to a request that was sent here before.
    #
    # @param patience [Float, nil] on the clock of Waiting.now; the request may not be done when it has passed
    def await(request, patience = nil)
      return lose_inherited if inherited?

      request.patience = patience
      Waiting.undisturbed(request.scheduler) do
        @canceller.ending do
          begin
            attend(request)
          ensure
            leave(request)
          end
          @canceller.expire(request) if request.deadline_passed?
        end
      end
    end

    # The caller that this trunk was kept for does not need it.
    def leave_unused(request)
      leave(request) if request.active?
    end

    # A look at an idle connection: what came unasked is taken in, and whether the server has hung up is known before
    # anything is written.
    #
    # @param by [Float] when no more is read, on the clock of Waiting.now
    # @return [Boolean] false: it is lost
    def alive?(by = Float::INFINITY)
      while (received = @wire.receive) == :received
        take_in
        break if Waiting.now >= by
      end
      lose(farewell) if received == :closed || @codec.farewell
      @loss.nil?
    rescue SystemCallError, IOError, ConnectionError => error
      lose_over(error)
      false
    end

    # Ends the connection. Requests in flight are done, with a Loss.
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

    # Takes no more requests, and ends when those it has are answered: see Retirement.
    def retire(reason) = @retirement.begin(reason)
    def retire_now = @retirement.finish

    # Ends the connection where the event loop of its callers does not go on, while others wait for a connection: see Stall.
    def end_stall
      Waiting.undisturbed { @stall.end_if_long } unless @loss
    end

    # Writes what callers have left unwritten, and takes in what has come for callers that have gone, or that do not wait, where no active caller
    # would. A connection whose answers have all come is idle then.
    def catch_up
      Waiting.undisturbed { exchange if deserted? && !@codec.idle? && @loss.nil? }
    end

    # Counts the connection as lost in a child of the process that opened it: the server session is the parent's, and is left alone.
    def lose_inherited = lose("this connection belongs to the parent process", closed: true)

    # How requests are ended that no caller waits for: see Canceller, which has a method of the same name for each.
    def cancel(request, by) = @canceller.cancel(request, by)
    def cancel_abandoned(by) = Waiting.undisturbed { @canceller.ending { @canceller.cancel_abandoned(by) } }
    def clear(waiter, by) = @canceller.clear(waiter, by)

    def cancels = @canceller.cancels
    def abandoned = @canceller.abandoned
    def quarantined? = @canceller.quarantined?

    # Cancels what was abandoned and writes what lies there, as the last caller that leaves; closes the connection where it is lost.
    def end_last_use
      return active.zero? && hang_up if @loss

      @canceller.cancel_abandoned
      flush
      @canceller.end_unattended
      @retirement.finish
    end

    # Ends the connection, and all requests in flight with a Loss. The leader may be asleep on the descriptor: shutting it down wakes it, and
    # the last active caller closes it.
    def lose(reason, closed: false)
      Waiting.undisturbed { end_with_loss(reason, closed) } unless @loss
    end

    # The server has ended the connection.
    def hung_up = lose(farewell)

    # Ends the request of a caller that was interrupted, wherever it waited. This and what follows is called by the loop in C.
    def abandon(request)
      Waiting.unpark(request)
      wake_all
    ensure
      @canceller.ending { leave_and_abandon(request) }
    end

    # The answer did not come in time.
    def expire_request(request)
      @canceller.ending do
        leave(request)
        @canceller.expire(request)
      end
    end

    # What was read is taken in, and those are woken whose answers it held.
    def pass_on
      wake_all
      @state.lift
      @canceller.cancel_abandoned_ahead
      @pool.freed if @crowded.on? && @state.room?
    end

    def write_out(request) = @writer.write_out(request)

    # A caller has left, and the lead goes to the next leader (a Request, which is owed its wake-up), to none, or to no other (:led).
    def after_leave(succession)
      case succession
      when :none then end_last_use
      when Request then succession.wake
      end
      @pool.freed if @crowded.on? && @state.active.zero?
    end

    # The server has ended the connection, and may have said why, which says what it has begun: that is read before the connection is lost, by the
    # leader, where there is one.
    def write_failed(error)
      @write_failure = error.message
      return @wire.shut_down if @state.led?

      @reader.catch_up
      lose(farewell)
    end

    def lose_over(error) = lose(@codec.farewell_message || error.message) # a server that closes over unread bytes resets the connection

    def look_into_silence = @silence.look(self)
    def cancel_abandoned_ahead = @canceller.cancel_abandoned_ahead
    def quarantine_altered = @canceller.quarantine("a statement has left state behind on the connection, which others share")

    private

    # Where all that is in flight by now was abandoned, the rest of it is not worth writing.
    def exchange
      flush
      @reader.catch_up
      @canceller.end_unattended if deserted?
    end

    # A caller that is interrupted while it writes could not ask for the answer.
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
      @loss = Loss.new(reason, true, closed).freeze
      @state.lose
      unsent = Loss.new(reason, false, closed).freeze
      @codec.fail(@woken) { |sent| sent ? @loss : unsent }
      @pool.lost(self)
      active.zero? || inherited? ? hang_up : @wire.shut_down
    ensure
      wake_all
    end

    def hang_up
      @state.unplug
      @wire.close
    end

    def farewell = @codec.farewell_message || @write_failure || "the server closed the connection"
  end
  private_constant :Trunk
end
