# frozen_string_literal: true

module Trunkline
  # The bounds of a trunk: how much it has in flight, and how long it lives.
  module Bounds # :nodoc:
    # Reads, where no other caller does, until there is room for another request.
    #
    # @param request [Request] the caller's, not sent yet
    # @yieldreturn [Boolean] whether there is room
    # @return [nil]
    def make_room(request, &room)
      Waiting.undisturbed(request.scheduler) do
        lead_until(request, &room) if @state.enter(request)
      ensure
        leave(request)
      end
      nil
    end

    # Reads until nothing is in flight, or sleeps while another caller does, which waits for what it has asked here before. For the owner
    # of a trunk that others have shared before.
    #
    # @param request [Request] the owner's, not sent
    # @return [Boolean] false: the trunk is lost, or the request's time is over
    def settle(request)
      attend_until(request.pin, -> { @codec.idle? }) { step(request) }
      @codec.idle? && @loss.nil?
    end

    # Takes no more requests, and ends when those it has are answered.
    #
    # @param reason [String] one sentence
    # @return [nil]
    def retire(reason)
      @state.seal
      @retiring = reason
      retire_now
      nil
    end

    # Ends, if it takes no more requests and is deserted, when those it has are answered: what has not been read yet is taken in. No request
    # can come between: what is sealed and settled stays so.
    def retire_now
      return unless @retiring && deserted? && @loss.nil?

      look_unless_led
      return unless @state.settled?

      @canceller.able? && @state.given_up ? @canceller.close_forsaken(@retiring) : close(@retiring)
    end

    # Takes in what has come for callers that have gone, or that do not wait, where no active caller would. A connection whose
    # answers have all come is idle then.
    def catch_up
      Waiting.undisturbed { look_unless_led if deserted? && !@codec.idle? && @loss.nil? }
    end

    private

    # Only a leader reads, or another that sleeps would not hear of what came.
    def look_unless_led
      waiter = Waiter.new
      alive? if @state.take_lead(waiter)
    ensure
      next_leader = @state.leave(waiter)
      next_leader.wake if next_leader
    end

    def lead_until(request)
      return Waiting.unpark(request) unless @state.lead(request) == true

      step(request) until yield || @loss || request.patience_over?
    end
  end
  private_constant :Bounds
end
