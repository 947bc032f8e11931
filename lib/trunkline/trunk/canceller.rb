# frozen_string_literal: true

require_relative "abandonment"
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
    # Seconds until a second cancel is sent.
    FIRST_PAUSE = 0.01
    # Seconds for which it reads what lies there, before it asks the server to end more of that: as long as a leader reads in one turn.
    READING = 0.005
    private_constant :LEEWAY, :FIRST_PAUSE, :READING

    # @return [Integer] how often the server was asked to cancel
    attr_reader :cancels

    # @return [Integer] requests that the server had been sent when their callers abandoned them
    attr_reader :abandoned

    # @param trunk [Trunk] whose requests are ended: it sends, waits and closes
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    # @param wire [Wire] the trunk's
    # @param pool [Object] the trunk's
    # @param ask [#call, nil] asks the server to cancel: see Trunk.new
    def initialize(trunk, state, codec, wire, pool, ask)
      @trunk = trunk
      @state = state
      @codec = codec
      @wire = wire
      @pool = pool
      @ask = ask
      @cancels = @abandoned = 0
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
      Waiting.undisturbed do
        cancelling(waiter, nil) do
          cancel_heads(waiter, nil, by)
          fence = @state.fence || submit_fence(waiter)
          wait_for_fence(fence, by) if fence && !@trunk.loss
        end
      end
    end

    # @return [Boolean] whether the connection was taken out of use: what a cancel would hit on it, or what a statement has left there, is not known
    def quarantined? = @quarantined

    # @return [Boolean] whether there is a way to ask the server to cancel
    def able? = !@ask.nil?

    # Ends a request whose caller was interrupted. The server is asked to cancel it, unless it is a short one, whose answer is here before a
    # cancel could be there.
    def abandon(request)
      end_early(request, :cancel) { |failure| stop(request, Waiting.now + LEEWAY, failure) if held_up? }
    end

    # Cancels the request at the head that was abandoned while it stood behind others or was short, and those behind it that were abandoned too. Called by
    # the last caller that leaves, or a later one.
    def cancel_abandoned(by = Waiting.now + LEEWAY)
      return unless @state.abandoned_head && held_up?

      head = @state.abandoned_head
      stop(head, by) if head
    end

    # Asks the server to cancel such a request, where callers wait behind it. Called by their leader, which reads on and sees the fence answered,
    # and calls again after a pause, twice as long each time.
    def cancel_abandoned_ahead
      head = @state.abandoned_head
      return @passed = nil unless head && @state.held_up?

      @pause = head.equal?(@passed) ? @pause * 2 : FIRST_PAUSE
      cancelling(@passed = head, head) do
        ask_to_cancel(head, Waiting.now + LEEWAY) if @state.aim(head, head)
        @state.cancel_again(@pause)
      end
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
        cancel_unseen
        sleep FIRST_PAUSE
      ensure
        cancel_unseen
      end
    end

    # Replaces a connection with a fence whose answer no caller would see, and closes one to which an abandoned request is written in part, where no
    # caller waits for anything in flight: the server waits for the rest, which no caller would write. With nothing in flight, it is of a COPY
    # that the server has refused: the next request goes behind it.
    def end_unattended
      replace_connection if @state.abandon_fence
      return if @trunk.loss || @wire.flushed? || @trunk.codec.idle? || !@state.only_abandoned?

      reason = "no caller waited any more for a request that was written in part"
      able? ? close_with_abandoned(reason) : @trunk.lose(reason, closed: true)
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

    def linger(request, by)
      return unless @state.head.equal?(request)

      request.linger(by)
      @trunk.attend(request)
    ensure
      @trunk.leave(request)
    end

    # Only where that does no harm: see ConnectionState#begin_cancel. Other callers see the fence answered, if they are active.
    #
    # @param failure [Abandonment, nil] of the request; nil: it is done already
    def stop(request, by, failure = nil)
      cancelling(request, request) do
        cancel_heads(request, request, by, failure)
        wait_for_fence(@state.fence, by) if @state.fence && @state.active.zero?
      end
    end

    # Runs the block while nothing more is sent, where there is something to cancel.
    #
    # @param waiter [Request] of the caller
    # @param target [Request, nil] as ConnectionState#begin_cancel takes it
    def cancelling(waiter, target)
      return unless @ask && @state.begin_cancel(waiter, target)

      begin
        yield
      ensure
        conclude_cancel(waiter)
      end
    end

    def conclude_cancel(waiter)
      return if @trunk.loss

      case @state.finish_cancel(waiter)
      when :exposed then replace_connection
      when :open then @pool.freed if @pool.crowded.on?
      end
    end

    # A cancel that comes before the request has been begun is ignored by the server: after a while another is sent, and so for others
    # that no caller waits for any more. The connection may be closed over those only when one has been answered, for then the server begins
    # the next, and can be asked to end it. Before that the target is abandoned: its caller is told of its own deadline or cancel, not of a
    # loss.
    #
    # @param failure [Abandonment, nil] of the target; nil: there is none, or it is done already
    def cancel_heads(waiter, target, by, failure = nil)
      aimed = nil
      while Waiting.now < by && (head = @state.aim(waiter, target))
        if aimed && !head.equal?(aimed) && @state.all_abandoned?(target)
          target&.fail(failure)
          return close_with_abandoned("no caller waited any more for what was in flight")
        end
        break unless ask_to_cancel(waiter, by)

        pause = head.equal?(aimed) ? pause * 2 : FIRST_PAUSE
        aimed = head
        fence = @state.fence
        wait_for_fence(fence, [Waiting.now + pause, by].min) if fence
      end
    end

    def cancel_unseen
      @cancels += 1
      @ask.call(Waiting.now + LEEWAY)
    rescue ConnectionError
      nil # the server finds out by itself, later, that the client is gone
    end

    # Where nothing can be hit later than what is in flight now, a fence goes behind that; also where the caller is interrupted.
    #
    # @return [Boolean] whether it does
    def ask_to_cancel(waiter, by)
      dealt_with = false
      @cancels += 1
      @ask.call(by) { dealt_with = true }
      dealt_with
    rescue ConnectionError => error
      dealt_with = !error.sent?
    ensure
      submit_fence(waiter) if dealt_with
    end

    # @return [Request, nil] the fence
    def submit_fence(waiter)
      fence = waiter.fence
      return unless @state.fence_off(waiter, fence)

      @trunk.flush
      fence
    end

    def wait_for_fence(fence, by)
      @trunk.attend(fence.linger(by))
    ensure
      @trunk.leave(fence)
    end
  end
  private_constant :Canceller
end
