# frozen_string_literal: true

require_relative "abandonment"
require_relative "cancel_requests"
require_relative "fenced_cancels"
require_relative "waiting"

module Trunkline
  # Ends requests before their answers have arrived. A request that was not sent yet is withdrawn. For one that the server executes, the client sends
  # a cancel request. The server cancels whatever it executes when that arrives, which may already be the next request. So the trunk sends nothing
  # more meanwhile. Requests behind that were hit by the cancel are sent again. Then a fence is submitted: an empty request behind everything in
  # flight. Once its answer is here, the cancel can hit nothing any more, and the trunk takes requests again. A request that is queued behind others
  # on the connection is cancelled when it reaches the head, by the leader or by the last caller that leaves.
  #
  # The caller that abandons the request does all this in its own time. A caller that is interrupted in the middle finishes first, within a quarter of
  # a second. If it cannot, it is unknown what the cancel will hit: the trunk then takes no more requests, and is closed when the last one in flight
  # is answered.
  class Canceller # :nodoc:
    # The reason given when a connection is closed because every request in flight was abandoned.
    UNATTENDED = "the callers have abandoned every request in flight"
    private_constant :UNATTENDED

    # @return [Integer] requests that were abandoned after they had been sent
    attr_reader :abandoned

    # @param trunk [Trunk] whose requests are ended; it sends, waits and closes
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    # @param wire [Wire] the trunk's
    # @param pool [Object] the trunk's
    # @param send_cancel [#call, nil] sends a cancel request: see Trunk.new; nil: the server cannot be reached for that
    def initialize(trunk, state, codec, wire, pool, send_cancel)
      @trunk = trunk
      @state = state
      @codec = codec
      @wire = wire
      @pool = pool
      @requests = send_cancel && CancelRequests.new(send_cancel)
      @fenced = FencedCancels.new(trunk, state, pool, @requests, self) if send_cancel
      @abandoned = 0
      @quarantined = false
      # The object_id of the abandoned request that was cancelled last by the leader, as a reference would keep its caller from being collected; and for
      # how long the leader waits then.
      @last_cancelled = @pause = nil
    end

    # Ends a request on behalf of its caller. The request is done afterwards, but possibly with its answer, if that had arrived.
    #
    # @param by [Float] deadline on the clock of Waiting.now
    def cancel(request, by)
      return @trunk.lose_inherited if @trunk.inherited?

      Waiting.without_interrupts do
        ending { end_early(request, :cancel) { |failure| stop(request, by, failure) } }
      end
    end

    # Waits on a reserved trunk until everything in flight is answered, and cancels what was abandoned. If that succeeds, the trunk is idle.
    #
    # @param waiter [Request] the calling fiber's or thread's, pinned
    # @param by [Float] deadline on the clock of Waiting.now
    def clear(waiter, by)
      Waiting.without_interrupts { @fenced&.clear(waiter, by) }
    end

    # @return [Boolean] whether the connection was taken out of use, because it is unknown what a cancel would hit on it or what session state a
    #   statement has left
    def quarantined? = @quarantined

    # @return [Boolean] whether cancel requests can be sent
    def able? = !@requests.nil?

    # @return [Integer] how many cancel requests were attempted
    def cancels = able? ? @requests.count : 0

    # Ends a request whose caller was interrupted. A long one is cancelled at once. The answer of a short one arrives before a cancel would: it is
    # cancelled only when it exceeds its estimate.
    def abandon(request)
      end_early(request, :cancel) { |failure| head_blocks? ? stop(request, Waiting.now + FencedCancels::LEEWAY, failure) : stop_when_exceeded(request, failure) }
    end

    # Cancels the abandoned request at the head, and abandoned ones directly behind it. Called by the last caller that leaves, or a later one. With no
    # caller left, none would notice that a short request exceeds its estimate, so this waits until that is answered or exceeds it.
    def cancel_abandoned(by = Waiting.now + FencedCancels::LEEWAY)
      while able? && (head = @state.abandoned_head)
        return stop(head, by) if head_blocks?
        return if check_head_later || !@trunk.reader.await_end_of(head, [Waiting.now + seconds_until_exceeded, by].min)
      end
    end

    # Sends a cancel request for the abandoned head while callers wait behind it. Called by their leader, which keeps reading until the fence is
    # answered. It calls again when the head exceeds its estimate, and then after pauses that double each time.
    def cancel_abandoned_ahead
      head = @state.abandoned_head
      return unless head && able?

      again = head.object_id == @last_cancelled
      return if again && @state.recheck_pending?
      return check_head_later unless @state.head_blocks?

      @last_cancelled = head.object_id
      @pause = again ? FencedCancels.pause_after(@pause) : FencedCancels::FIRST_PAUSE
      @fenced.cancel(head, Waiting.now + FencedCancels::LEEWAY)
      @state.recheck_in(@pause)
    end

    # Runs the block, in which a caller may still have a request to end. Until the block returns, the connection stays open and is not reserved for
    # any caller.
    def ending
      @state.begin_ending
      yield
    ensure
      deserted = @state.finish_ending
      deserted ? @trunk.end_last_use : @trunk.retire_now unless @trunk.loss
      @pool.freed if deserted && @pool.callers_waiting.on?
    end

    # Ends a request whose deadline has passed. If it was sent with a statement_timeout, the server is about to end it, and no cancel request is sent.
    def expire(request)
      by = Waiting.now + FencedCancels::LEEWAY
      end_early(request, :deadline) { |failure| request.server_timeout? ? wait_for_end(request, by) : stop(request, by, failure) }
    end

    # Closes a connection on which several statements are in flight and all were abandoned: the server would execute them one after the other. With
    # the socket closed, the server ends as soon as it answers the statement that the cancel ends. A single statement is cancelled and its connection
    # kept: that, with two short queries afterwards, costs the server 5.5 ms of CPU, and 12.2 ms with a new connection. But several statements need
    # one cancel each, one after the other, and one new connection replaces them all.
    #
    # The server ignores a cancel that arrives between two statements, and a closed connection does not show whether it did. So two are sent, with a
    # pause between.
    def close_with_abandoned(reason)
      return @trunk.lose_inherited if @trunk.inherited?
      return if @trunk.loss

      @wire.abort
      @trunk.lose(reason, closed: true)
      begin
        @requests.cancel_and_forget(Waiting.now + FencedCancels::LEEWAY)
        sleep FencedCancels::FIRST_PAUSE
      ensure
        @requests.cancel_and_forget(Waiting.now + FencedCancels::LEEWAY)
      end
    end

    # The same, with the reason that every request in flight was abandoned.
    def close_over_all = close_with_abandoned(UNATTENDED)

    # Called when the last caller has left. Replaces a connection whose fence no caller would read the answer of. Closes one that still holds
    # unwritten bytes of an abandoned request, if all in flight was abandoned: the server waits for the rest, and no caller would write it. Unwritten
    # bytes with nothing in flight belong to a COPY that the server has refused: the next request follows them.
    def end_unattended
      replace_connection if @state.abandon_fence
      return if @trunk.loss || @trunk.codec.idle? || !@state.only_abandoned?

      if !@wire.flushed? then close_unattended("the caller has abandoned a request that was sent in part")
      elsif able? && !@state.reserved? && @state.head_blocks? then close_with_abandoned(UNATTENDED)
      end
    end

    # Takes the connection out of use at once: requests in flight fail with a Loss.
    #
    # @param reason [String] one sentence
    def quarantine(reason)
      @quarantined = true
      @trunk.lose(reason)
    end

    # Takes the connection out of use: it is closed when its requests are answered, and the pool opens another in its place.
    def replace_connection
      @quarantined = true
      reason = "a cancel request may still hit a later statement"
      @pool.retire_where(reason) { |trunk| trunk.equal?(@trunk) }
      @trunk.retire(reason)
    end

    private

    # @yield waits for the answer or cancels; called when the server may be executing the request
    # @yieldparam failure [Abandonment] the request's failure if no answer comes
    def end_early(request, why)
      failure = Abandonment::SENT[why]
      return if request.done? || @codec.withdraw(request, Abandonment::UNSENT[why])

      @abandoned += 1
      yield failure
    ensure
      request.fail(request.failure || failure)
    end

    # @return [Boolean] whether the server executes, or may execute, a request that takes long. Unread input may be its answer, so without a leader it
    #   is read here first. If more arrives than can be read in one turn, the server counts as executing.
    def head_blocks?
      return true if @state.head_blocks?

      head, by = @state.head, Waiting.now + Waiting::TURN
      @trunk.reader.read_arrived(by)
      @state.head_blocks? || (Waiting.now >= by && @state.head.equal?(head))
    end

    # A request that is estimated as short may still take long, for instance while it waits for a lock. If the leader will check it again once it
    # exceeds its estimate, the caller leaves. If the leader sleeps without such a timer, or there is no leader, the caller stays.
    def stop_when_exceeded(request, failure)
      return if !able? || !@state.head.equal?(request) || check_head_later

      begin
        wait_for_end(request, Waiting.now + seconds_until_exceeded)
      ensure
        stop(request, Waiting.now + FencedCancels::LEEWAY, failure)
      end
    end

    # Cancels only where ConnectionState#begin_cancel allows it. Other active callers read the answer to the fence.
    #
    # @param failure [Abandonment, nil] of the request; nil: it is done already
    def stop(request, by, failure = nil) = @fenced&.stop(request, by) { request.fail(failure) if failure }

    def close_unattended(reason) = able? ? close_with_abandoned(reason) : @trunk.lose(reason, closed: true)

    # @return [Boolean] whether the leader will check the head again at that time
    def check_head_later = @state.recheck_in(seconds_until_exceeded)

    # @return [Float] seconds
    def seconds_until_exceeded = [@state.head_blocks_in, FencedCancels::FIRST_PAUSE].max

    def wait_for_end(request, by)
      return unless @state.head.equal?(request)

      request.extend_wait(by)
      @trunk.await_answer(request)
    ensure
      @trunk.leave(request)
    end
  end
  private_constant :Canceller
end
