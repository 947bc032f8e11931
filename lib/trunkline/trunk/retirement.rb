# frozen_string_literal: true

module Trunkline
  # The end of a trunk that takes no more requests: it is closed when those it has are answered.
  class Retirement # :nodoc:
    # @param trunk [Trunk] that is closed
    # @param state [ConnectionState] the trunk's
    # @param reader [StreamReader] the trunk's
    # @param canceller [Canceller] the trunk's
    def initialize(trunk, state, reader, canceller)
      @trunk = trunk
      @state = state
      @reader = reader
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

    # Closes the trunk, if it retires and is deserted, when what it has in flight is answered: what has not been read yet is taken in. No
    # request can come between: what is sealed and settled stays so.
    def finish
      return unless @reason && @trunk.deserted? && @trunk.loss.nil?

      @reader.catch_up
      return unless @state.settled?

      @canceller.able? && @state.given_up ? @canceller.close_forsaken(@reason) : @trunk.close(@reason)
    end
  end
  private_constant :Retirement
end
