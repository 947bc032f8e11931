# frozen_string_literal: true

module Trunkline
  # The end of a trunk that takes no more requests: it is closed when those it has are answered.
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

    # Has the trunk take no more requests, and closes it when those it has are answered.
    #
    # @param reason [String] one sentence
    # @return [nil]
    def begin(reason)
      @state.seal
      @reason = reason
      finish
      nil
    end

    # Closes the trunk, if it retires, when what it has in flight is answered: what has not been read yet is taken in where the trunk is deserted.
    # Where all in flight was abandoned, callers that still wait for it there are of no account: the loss wakes them. No request can come between:
    # what is sealed and settled stays so.
    def finish
      return unless @reason && @trunk.loss.nil?

      @trunk.catch_up
      return unless @trunk.loss.nil? && @state.settled?

      if @canceller.able? && @state.abandoned_head then @canceller.close_with_abandoned(@reason)
      elsif @trunk.deserted? then @trunk.close(@reason)
      end
    end
  end
  private_constant :Retirement
end
