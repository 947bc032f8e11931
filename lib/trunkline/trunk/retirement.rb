# frozen_string_literal: true

module Trunkline
  # Closes a trunk once its requests are answered; it takes no more.
  class Retirement # :nodoc:
    # @param trunk [Trunk] that is closed
    # @param state [ConnectionState] the trunk's
    # @param canceller [Canceller] the trunk's
    def initialize(trunk, state, canceller)
      @trunk = trunk
      @state = state
      @canceller = canceller
      @reason = nil
    end

    # Has the trunk take no more requests, and closes it when those in flight are answered.
    #
    # @param reason [String] one sentence
    # @return [nil]
    def begin(reason)
      @state.seal
      @reason = reason
      finish
      nil
    end

    # Closes the trunk, if it retires and everything in flight is answered; without active callers, input that has arrived is read first. If all in
    # flight was abandoned, callers that still wait for its end are disregarded: the loss wakes them. No request can be submitted in between, as a
    # sealed trunk without requests stays so.
    def finish
      return unless @reason && @trunk.loss.nil?

      @trunk.read_unattended
      return unless @trunk.loss.nil? && @state.settled?

      if @canceller.able? && @state.abandoned_head then @canceller.close_with_abandoned(@reason)
      elsif @trunk.deserted? then @trunk.close(@reason)
      end
    end
  end
  private_constant :Retirement
end
