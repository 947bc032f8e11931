# frozen_string_literal: true

require_relative "abandonment"
require_relative "cancel_requests"
require_relative "fenced_cancels"
require_relative "waiting"

module Trunkline
  # How a request is ended that was sent over a trunk. What has not been sent is taken back. What the server works on it is
  # asked to cancel: it ends what it does when that arrives, which may be the next request already. So nothing more is sent
  # meanwhile, those behind are sent again where they were hit instead, and the trunk is opened to others behind a fence,
  # which the server answers when nothing can be hit any more. What stands behind others is ended when its turn has come, by
  # the caller that reads then or is the last to leave.
  #
  # The caller that wants the end does all that, in its own time. A caller that is interrupted in the middle first brings that to its end, within a
  # quarter of a second. Where that does not do, what the cancel will hit is unknown: then the trunk takes no more requests, and is
  # closed when the last in flight is answered.
  class Canceller # :nodoc:
    # Seconds that a caller stays beyond its deadline, at most, to see its request ended.
    LEEWAY = 0.25
    # Seconds for which it reads what lies there, before it asks the server to end more of that: as long as a leader reads in one turn.
    READING = 0.005
    # Why a connection is closed over what no caller waits for.
    UNATTENDED = "no caller waited any more for what was in flight"
    private_constant :LEEWAY, :READING, :UNATTENDED

    # @return [Integer] requests that the server had been sent when their callers abandoned them
    attr_reader :abandoned

    # @param trunk [Trunk] whose requests are ended: it sends, waits and closes
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    # @param wire [Wire] the trunk's
    # @param pool [Object] the trunk's
    # @param send_cancel [#call, nil] sends a cancel request: see Trunk.new
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
      @passed = @pause = nil # the abandoned request that was cancelled last by the leader, and for how long it waits then
    end

    # Ends a request that its caller does not want any more. It is done then, if perhaps not with the end that was wanted: its
    # answer may have been there.
    #
    # @param by [Float] until when, on the clock of Waiting.now
    def cancel(request, by)
      return @trunk.lose_inherited if @trunk.inherited?

      Waiting.undisturbed do
        ending { end_early(request, :cancel) { |failure| stop(request, by, failure) } }
      end
    end

    # Waits on a trunk of the caller's own until everything in flight is answered, and ends what no caller waits for any more. If
    # that has worked, the trunk is idle then.
    #
    # @param waiter [Request] of the caller, pinned
    # @param by [Float] until when, on the clock of Waiting.now
    def clear(waiter, by)
      Waiting.undisturbed { @fenced&.clear(waiter, by) }
    end

    # @return [Boolean] whether the connection was taken out of use: what a cancel would hit on it, or what a statement has left there, is not known
    def quarantined? = @quarantined

    # @return [Boolean] whether there is a way to ask the server to cancel
    def able? = !@requests.nil?

    # @return [Integer] how often the server was asked to cancel
    def cancels = able? ? @requests.count : 0

    # Ends a request whose caller was interrupted. The server is asked to cancel it, unless it is a short one, whose answer is here before a
    # cancel could be there: then it is asked when that is late.
    def abandon(request)
      end_early(request, :cancel) { |failure| held_up? ? stop(request, Waiting.now + LEEWAY, failure) : stop_when_late(request, failure) }
    end

    # Cancels the request at the head that was abandoned while it stood behind others or was short, and those behind it that were abandoned too. Called by
    # the last caller that leaves, or a later one: none would see that a short one is late, so it waits until that is answered or late.
    def cancel_abandoned(by = Waiting.now + LEEWAY)
      while able? && (head = @state.abandoned_head)
        return stop(head, by) if held_up?
        return if look_when_late || !@trunk.reader.await_end_of(head, [Waiting.now + late_in, by].min)
      end
    end

    # Asks the server to cancel such a request, where callers wait behind it. Called by their leader, which reads on and sees the fence answered,
    # and calls again when the request is late, and after a pause, twice as long each time.
    def cancel_abandoned_ahead
      head = @state.abandoned_head
      return @passed = nil unless head && able?
      return if head.equal?(@passed) && @state.looks_again?
      return look_when_late unless @state.held_up?

      @pause = head.equal?(@passed) ? FencedCancels.pause_after(@pause) : FencedCancels::FIRST_PAUSE
      @fenced.cancel(@passed = head, Waiting.now + LEEWAY)
      @state.look_again(@pause)
    end

    # Runs the block, in which a caller may have a request to end here yet: until then the connection stays open, and no caller gets it for its
    # own.
    def ending
      @state.begin_ending
      yield
    ensure
      deserted = @state.finish_ending
      deserted ? @trunk.end_last_use : @trunk.retire_now unless @trunk.loss
      @pool.freed if deserted && @pool.crowded.on?
    end

    # Ends a request whose deadline has passed. Where it was sent with a limit, the server is about to end it, and is not asked.
    def expire(request)
      by = Waiting.now + LEEWAY
      end_early(request, :deadline) { |failure| request.limited? ? linger(request, by) : stop(request, by, failure) }
    end

    # Closes a connection where no caller waits for any of several statements in flight, which the server would work off one after the other. The
    # server finds that the client is gone when it answers the one that the cancel ends, and ends too. One statement is cancelled, and the connection kept: for that, and
    # two short queries afterwards, the server's processor takes 5.5 ms, and 12.2 ms where it is a new connection. But each of several needs
    # a cancel of its own, one after the other, and a new connection takes the place of them all.
    #
    # A cancel that comes between two statements is ignored, and on a closed connection nothing tells. So there are two, with a pause.
    def close_with_abandoned(reason)
      return @trunk.lose_inherited if @trunk.inherited?
      return if @trunk.loss

      @wire.abort
      @trunk.lose(reason, closed: true)
      begin
        @requests.cancel_unseen(Waiting.now + LEEWAY)
        sleep FencedCancels::FIRST_PAUSE
      ensure
        @requests.cancel_unseen(Waiting.now + LEEWAY)
      end
    end

    # Likewise, where no caller waits for anything in flight.
    def close_over_all = close_with_abandoned(UNATTENDED)

    # Replaces a connection with a fence whose answer no caller would see, and closes one to which an abandoned request is written in part, where no
    # caller waits for anything in flight: the server waits for the rest, which no caller would write. With nothing in flight, it is of a COPY
    # that the server has refused: the next request goes behind it.
    def end_unattended
      replace_connection if @state.abandon_fence
      return if @trunk.loss || @trunk.codec.idle? || !@state.only_abandoned?

      if !@wire.flushed? then close_unattended("no caller waited any more for a request that was written in part")
      elsif able? && !@state.reserved? && @state.held_up? then close_with_abandoned(UNATTENDED)
      end
    end

    # Takes the connection out of use at once: requests in flight are lost.
    #
    # @param reason [String] one sentence
    def quarantine(reason)
      @quarantined = true
      @trunk.lose(reason)
    end

    # Takes the connection out of use: it ends when its requests are answered, and another is opened in its place then.
    def replace_connection
      @quarantined = true
      reason = "it was not known what a cancel would hit"
      @pool.retire_where(reason) { |trunk| trunk.equal?(@trunk) }
      @trunk.retire(reason)
    end

    private

    # @yield what may take its time, when the server may be at work on it now
    # @yieldparam failure [Abandonment] with which the request is done if no answer comes
    def end_early(request, why)
      failure = Abandonment::SENT[why]
      return if request.done? || @codec.withdraw(request, Abandonment::UNSENT[why])

      @abandoned += 1
      yield failure
    ensure
      request.fail(request.failure || failure)
    end

    # @return [Boolean] whether the server works, or may work, on a request that takes long. What lies unread may be its answer: without a leader it is
    # read here first. Where more comes than is read in that time, the server counts as at work.
    def held_up?
      return true if @state.held_up?

      head, by = @state.head, Waiting.now + READING
      @trunk.reader.catch_up(by)
      @state.held_up? || (Waiting.now >= by && @state.head.equal?(head))
    end

    # A request that counts as short may take long all the same, as it waits for a lock. Its caller leaves it to the leader that looks when it
    # is late, and stays where the leader sleeps and would not look, or where there is none.
    def stop_when_late(request, failure)
      return if !able? || !@state.head.equal?(request) || look_when_late

      begin
        linger(request, Waiting.now + late_in)
      ensure
        stop(request, Waiting.now + LEEWAY, failure)
      end
    end

    # Only where that does no harm: see ConnectionState#begin_cancel. Other callers see the fence answered, if they are active.
    #
    # @param failure [Abandonment, nil] of the request; nil: it is done already
    def stop(request, by, failure = nil) = @fenced&.stop(request, by) { request.fail(failure) if failure }

    def close_unattended(reason) = able? ? close_with_abandoned(reason) : @trunk.lose(reason, closed: true)

    # @return [Boolean] whether the leader looks then
    def look_when_late = @state.look_again(late_in)

    # @return [Float] seconds
    def late_in = [@state.held_up_in, FencedCancels::FIRST_PAUSE].max

    def linger(request, by)
      return unless @state.head.equal?(request)

      request.linger(by)
      @trunk.attend(request)
    ensure
      @trunk.leave(request)
    end
  end
  private_constant :Canceller
end
