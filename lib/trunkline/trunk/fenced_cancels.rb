# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "waiting"

module Trunkline
  # Cancels what the server works on for a connection, while nothing more is sent there, and opens the connection behind a fence: see Canceller.
  class FencedCancels # :nodoc:
    # Seconds until a second cancel is sent.
    FIRST_PAUSE = 0.01
    # Seconds that such a pause lasts at most, as each is twice as long as the one before.
    LONGEST_PAUSE = 1.0
    # Seconds that a caller stays beyond its time, at most, where others wait behind its request and their leader sleeps: as long as a leader sleeps
    # at most, which then looks. At a load of 8 on two processors cancels were ignored for longer than a quarter of a second in 2 of 300 rounds of
    # random callers.
    PERSISTENCE = Socket::Readiness::LONGEST_WAIT
    # Seconds for which it waits, at most, until the server has dealt with a cancel that is sent beyond that time: as long as the caller stays in any case.
    CANCEL_TIMEOUT = 0.25
    private_constant :LONGEST_PAUSE, :PERSISTENCE, :CANCEL_TIMEOUT

    # @param seconds [Float] of a pause
    # @return [Float] seconds of the next one
    def self.pause_after(seconds) = [seconds * 2, LONGEST_PAUSE].min

    # @param trunk [Trunk] whose requests are ended
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

    # Cancels a request of the caller's, and those behind it that no caller waits for.
    #
    # @param request [Request]
    # @param by [Float] until when, on the clock of Waiting.now
    # @yield before the connection is closed: the caller is told of its own deadline or cancel, not of a loss
    def stop(request, by, &abandoned)
      cancelling(request, request) do
        cancel_heads(request, request, by, &abandoned)
        wait_for_fence(@state.fence, by) if @state.fence && @state.active.zero?
      end
    end

    # Cancels what is in flight on a trunk of the caller's own, and waits until the server has answered it all. Another caller may still cancel what it
    # left there before: it goes first.
    #
    # @param waiter [Request] of the caller, pinned
    # @param by [Float] until when, on the clock of Waiting.now
    def clear(waiter, by)
      sleep FIRST_PAUSE while @state.canceller && !@trunk.loss && Waiting.now < by
      cancelling(waiter, nil) do
        cancel_heads(waiter, nil, by) { nil }
        fence = @state.fence || submit_fence(waiter)
        wait_for_fence(fence, by) if fence && !@trunk.loss
      end
    end

    # Sends one cancel request, and does not wait.
    #
    # @param head [Request] that no caller waits for
    # @param by [Float] until when, on the clock of Waiting.now
    def cancel(head, by)
      cancelling(head, head) { request_cancel(head, by) if @state.aim(head, head) }
    end

    private

    # Runs the block while nothing more is sent, where there is something to cancel.
    #
    # @param waiter [Request] of the caller
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

      case @state.finish_cancel(waiter)
      when :exposed then @canceller.replace_connection
      when :fenced then @state.look_again(FIRST_PAUSE) # the cancel may have been ignored: the next leader looks
      when :open then @pool.freed if @pool.crowded.on?
      end
    end

    # A cancel that comes before the request has been begun is ignored by the server: after a while another is sent, and so for others
    # that no caller waits for any more. The connection may be closed over those only when one has been answered, for then the server begins
    # the next, and can be asked to end it.
    #
    # @yield before that
    def cancel_heads(waiter, target, by)
      aimed = pause = nil
      while stays?(by, pause) && (head = @state.aim(waiter, target))
        if aimed && !head.equal?(aimed) && @state.all_abandoned?(target)
          yield
          return @canceller.close_over_all
        end
        break unless request_cancel(waiter, cancel_end(by))

        pause = head.equal?(aimed) ? FencedCancels.pause_after(pause) : FIRST_PAUSE
        aimed = head
        fence = @state.fence
        wait_for_fence(fence, pause_end(pause, by)) if fence
      end
    end

    def cancel_end(by) = Waiting.now < by ? by : Waiting.now + CANCEL_TIMEOUT
    def pause_end(pause, by) = Waiting.now < by ? [Waiting.now + pause, by].min : Waiting.now + pause

    # @param pause [Float, nil] seconds since the last cancel; nil: there was none
    # @return [Boolean] whether a caller goes on having a request ended
    def stays?(by, pause) = Waiting.now < by || (pause && Waiting.now < by + PERSISTENCE && !@state.look_again(pause) && @state.led?)

    # Where nothing can be hit later than what is in flight now, a fence goes behind that; also where the caller is interrupted.
    #
    # @return [Boolean] whether it does
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
      @trunk.attend(fence.adopt.linger(by))
    ensure
      @trunk.leave(fence)
    end
  end
  private_constant :FencedCancels
end
