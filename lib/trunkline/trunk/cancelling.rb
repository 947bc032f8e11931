# frozen_string_literal: true

require_relative "given_up"
require_relative "waiting"

module Trunkline
  # How a request is ended that was sent over a trunk. What has not been sent is taken back. What the server works on it is
  # asked to cancel: it ends what it does when that arrives, which may be the next request already. So nothing more is sent
  # meanwhile, those behind are sent again where they were hit instead, and the trunk is opened to others behind a fence,
  # which the server answers when nothing can be hit any more. What stands behind others is left to run, for nobody.
  #
  # Whoever wants the end does all that, in his own time. Where he is stopped in the middle, nobody can tell what the cancel
  # will hit: then the trunk takes no more requests, and is closed when the last in flight is answered.
  module Cancelling # :nodoc:
    # Seconds that a caller stays beyond his deadline, at most, to see his request ended.
    LEEWAY = 0.25
    # Seconds until a second cancel is sent.
    FIRST_PAUSE = 0.01
    private_constant :LEEWAY, :FIRST_PAUSE

    # Ends a request that its caller does not want any more. It is done then, if perhaps not with the end that was wanted: its
    # answer may have been there.
    #
    # @param by [Float] when to give up, on the clock of Waiting.now
    def cancel(request, by)
      return disown if inherited?

      Waiting.undisturbed do
        ending { end_early(request, :cancel) { stop(request, by) } }
      end
    end

    # Waits on a trunk of the caller's own until everything in flight is answered, and ends what nobody waits for any more. If
    # that has worked, the trunk is idle then.
    #
    # @param waiter [Request] of the caller, pinned
    # @param by [Float] when to give up, on the clock of Waiting.now
    def clear(waiter, by)
      Waiting.undisturbed do
        next unless @canceller && @crew.shut

        cancel_head(nil, waiter, by)
        fence_off(waiter, by) unless @fence || quarantined? || loss
      end
    end

    # @return [Integer] how often the server was asked to cancel
    def cancels = @cancels || 0

    # Could nobody tell any more what it would do to the next request?
    def quarantined? = @quarantined || false

    private

    # Its caller was interrupted: whether it is carried out is nobody's concern any more.
    def let_go(request) = end_early(request, :cancel)

    # Meanwhile nobody gets the trunk for his own, and it stays open: the caller may have something to end on it yet.
    def ending
      @endings += 1
      yield
    ensure
      @endings -= 1
      see_off if deserted? && !@loss
      @pool.freed if @endings.zero? && @pool.crowded?
    end

    # Its deadline has passed. A server that limits it itself is about to end it.
    def expire(request)
      by = Waiting.now + LEEWAY
      end_early(request, :deadline) { request.limited? ? linger(request, by) : stop(request, by) }
    end

    # @yield what may take its time, when the server works on it now
    def end_early(request, why)
      return if request.done?
      return conclude(request, why, sent: false) if @codec.withdraw(request)

      yield if block_given? && @crew.head.equal?(request)
    ensure
      conclude(request, why, sent: true)
    end

    def conclude(request, why, sent:) = request.give_up(GivenUp.new(why, sent).freeze)

    def linger(request, by)
      request.linger(by)
      attend(request)
    ensure
      leave(request)
    end

    # Those behind would be hit instead, if the request came to its end meanwhile: only where that does no harm. Whose own the
    # trunk is now finds it open.
    def stop(request, by)
      return unless @canceller && @crew.reserved? == request.pinned? && (left_to_the_fence? || (@crew.behind.all?(&:repeatable?) && @crew.shut))

      cancel_head(request, request, by)
    end

    # Is whoever shut it gone, and the fence still to be answered? Nobody has come since behind what is the head now.
    def left_to_the_fence? = @fence && !@stopping

    # The trunk is shut. A cancel that comes before the request has been begun is ignored there: after a while another is sent,
    # and so for others that nobody waits for any more. Whoever else is aboard sees the fence answered.
    def cancel_head(target, waiter, by)
      @stopping = true
      pause = FIRST_PAUSE
      while unwanted?(head = @crew.head, target) && !quarantined? && !loss && Waiting.now < by
        ask_and_fence_off(head, waiter, [Waiting.now + pause, by].min, by)
        pause *= 2
      end
      wait_for_fence(@fence, by) if @fence && @crew.aboard.zero?
    ensure
      @stopping = false
    end

    def unwanted?(head, target) = !head.nil? && (head.equal?(target) || head.done?)

    def ask_and_fence_off(head, waiter, pause, by)
      over = false
      forget_fence
      @codec.aim(head)
      over = ask_to_cancel(by)
    ensure
      over ? fence_off(waiter, pause) : give_place
    end

    # @return [Boolean] whether nothing can be hit later than what is in flight now
    def ask_to_cancel(by)
      @cancels = cancels + 1
      @canceller.call(by)
      true
    rescue ConnectionError => error
      !error.sent?
    end

    def fence_off(waiter, pause)
      fence = waiter.fence
      return unless @codec.submit(fence)

      @fence = fence
      flush
      wait_for_fence(fence, pause)
    end

    def wait_for_fence(fence, by)
      attend(fence.linger(by))
    ensure
      fence.done? ? leave(fence) : step_aside(fence)
    end

    # Leaves, but is not through with the trunk.
    def step_aside(fence)
      heir = @crew.leave(fence)
      heir.wake if heir
    end

    # The fence has been answered.
    def lift_fence
      @fence = nil
      @codec.aim(nil)
      @crew.open
      @pool.freed if @pool.crowded?
    end

    # Its answer is for nobody, who could keep the connection open for it.
    def forget_fence
      @fence&.give_up(GivenUp.new(:cancel, true).freeze)
      @fence = nil
    end

    # Nothing of what it holds can be trusted any more.
    def quarantine(reason)
      @quarantined = true
      lose(reason)
    end

    # It stays shut, and others take its place. Also when nobody is left who would see the fence answered.
    def give_place
      @quarantined = true
      forget_fence
      @pool.lost(self)
      retire("it was not known what a cancel would hit")
    end
  end
  private_constant :Cancelling
end
