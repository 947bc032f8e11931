# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "waiting"

module Trunkline
  # Sends cancel requests for what the server executes on a connection, while nothing more is sent there, and reopens the connection behind a fence:
  # see Canceller.
  class FencedCancels # :nodoc:
    # Seconds that a caller stays beyond its deadline, at most, to have its request ended. Of 40 cancels at a load of 15, half took 11 ms at most, and
    # the longest 39.
    LEEWAY = 0.25
    # Seconds until a second cancel is sent for the same request: half of those 40 cancels took as long at most.
    FIRST_PAUSE = 0.01
    # Seconds of the longest pause between two cancels, a bound: each pause is twice as long as the one before, so seven are sent in the first second, and then
    # one a second, each of which costs the server a process.
    LONGEST_PAUSE = 1.0
    # Seconds that a caller stays beyond its time, at most, while others wait behind its request and their leader sleeps: the longest sleep of a
    # leader, which checks the head afterwards. At a load of 8 on two processors, cancels were ignored for longer than a quarter of a second in 2 of
    # 300 rounds of random callers.
    PERSISTENCE = Socket::Readiness::LONGEST_WAIT
    private_constant :LONGEST_PAUSE, :PERSISTENCE

    # @param seconds [Float] of the pause before
    # @return [Float] seconds of the next one
    def self.pause_after(seconds) = [seconds * 2, LONGEST_PAUSE].min

    # @param trunk [Trunk] whose requests are cancelled
    # @param state [ConnectionState] the trunk's
    # @param pool [Object] the trunk's
    # @param requests [CancelRequests] the trunk's
    # @param canceller [Canceller] that closes the connection
    def initialize(trunk, state, pool, requests, canceller)
      @trunk = trunk
      @state = state
      @pool = pool
      @requests = requests
      @canceller = canceller
    end

    # Cancels a request of the caller, and abandoned ones behind it.
    #
    # @param request [Request]
    # @param by [Float] deadline on the clock of Waiting.now
    # @yield before the connection is closed, so that the caller gets its own deadline or cancel as the error, and no loss
    def stop(request, by, &abandoned)
      cancelling(request, request) do
        cancel_heads(request, request, by, &abandoned)
        wait_for_fence(@state.fence, by) if @state.fence && @state.active.zero?
      end
    end

    # Cancels what is in flight on a trunk that the caller has reserved, and waits until everything is answered. If another caller still cancels what
    # it had left there, that finishes first.
    #
    # @param waiter [Request] the calling fiber's or thread's, pinned
    # @param by [Float] deadline on the clock of Waiting.now
    def clear(waiter, by)
      sleep FIRST_PAUSE while @state.canceller && !@trunk.loss && Waiting.now < by
      cancelling(waiter, nil) do
        cancel_heads(waiter, nil, by) { nil }
        fence = @state.fence || submit_fence(waiter)
        wait_for_fence(fence, by) if fence && !@trunk.loss
      end
    end

    # Sends one cancel request, and does not wait for its effect.
    #
    # @param head [Request] that was abandoned
    # @param by [Float] deadline on the clock of Waiting.now
    def cancel(head, by)
      cancelling(head, head) { request_cancel(head, by) if @state.aim(head, head) }
    end

    private

    # Runs the block, if there is something to cancel; meanwhile the trunk sends nothing else.
    #
    # @param waiter [Request] the calling fiber's or thread's
    # @param target [Request, nil] as ConnectionState#begin_cancel takes it
    def cancelling(waiter, target)
      return unless @state.begin_cancel(waiter, target)

      begin
        yield
      ensure
        conclude_cancel(waiter)
      end
    end

    def conclude_cancel(waiter)
      return if @trunk.loss

      outcome = @state.finish_cancel(waiter)
      @canceller.replace_connection if outcome == :exposed
      case outcome
      when :exposed, :fenced then @state.recheck_in(FIRST_PAUSE) # the server may have ignored the cancel: the next leader checks that
      when :open then @pool.freed if @pool.callers_waiting.on?
      end
    end

    # The server ignores a cancel that arrives before it has begun the request. So another is sent after a pause, and likewise for abandoned requests
    # behind it. The connection may be closed, if all was abandoned, only after one of them has been answered: then the server has begun the next one,
    # and a cancel can end it. Where the server has not confirmed a cancel, the connection is replaced, and those behind the request still do not wait
    # for its end.
    #
    # @yield before the connection is closed
    def cancel_heads(waiter, target, by)
      aimed = pause = nil
      while stays?(by, pause) && (head = @state.aim(waiter, target))
        if aimed && !head.equal?(aimed) && @state.all_abandoned?(target)
          yield
          return @canceller.close_over_all
        end
        unless request_cancel(waiter, cancel_end(by))
          break unless target

          @canceller.replace_connection
        end
        pause = head.equal?(aimed) ? FencedCancels.pause_after(pause) : FIRST_PAUSE
        aimed = head
        wait_after_cancel(pause_end(pause, by))
      end
    end

    def wait_after_cancel(by)
      fence = @state.fence
      fence ? wait_for_fence(fence, by) : sleep([by - Waiting.now, 0].max)
    end

    def cancel_end(by) = Waiting.now < by ? by : Waiting.now + LEEWAY
    def pause_end(pause, by) = Waiting.now < by ? [Waiting.now + pause, by].min : Waiting.now + pause

    # @param pause [Float, nil] seconds since the last cancel; nil: there was none
    # @return [Boolean] whether the caller stays to send another cancel
    def stays?(by, pause) = Waiting.now < by || (pause && Waiting.now < by + PERSISTENCE && !@state.recheck_in(pause) && @state.led?)

    # Submits a fence behind everything in flight if the cancel can hit nothing later; also if the caller is interrupted.
    #
    # @return [Request, nil] the fence; nil: there is none
    def request_cancel(waiter, by)
      dealt_with = false
      @requests.cancel(by) { dealt_with = true }
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

    # The fence may be one that another caller has sent and left.
    def wait_for_fence(fence, by)
      @trunk.await_answer(fence.adopt.extend_wait(by))
    ensure
      @trunk.leave(fence)
    end
  end
  private_constant :FencedCancels
end
