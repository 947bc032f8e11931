# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # Writes what a leader that sleeps would not write.
  class OutputWriter # :nodoc:
    # Seconds after which a caller beside the leader tries again to write. The buffer of a socket holds some 200 kB: this allows for 200 MB/s.
    WRITE_AGAIN = 0.001
    private_constant :WRITE_AGAIN

    # @param trunk [Trunk] that steps, flushes and is lost
    # @param state [ConnectionState] the trunk's
    # @param wire [Wire] the trunk's
    def initialize(trunk, state, wire)
      @trunk = trunk
      @state = state
      @wire = wire
      @writer = nil # the request of the caller that writes
    end

    # Stays until the output is written, unless another caller does already. The leader writes it while it waits for answers; but where
    # it went to sleep with nothing to write, it is not woken by room for more. So a caller beside it tries again and again, and is
    # parked meanwhile: when the leader leaves, the lead goes to this caller. So some caller reads as long as one waits to write:
    # a server that cannot get rid of its answers takes no more requests.
    #
    # @param request [Request] the caller's, submitted
    def write_out(request)
      return if @writer && !@writer.dropped?

      @writer = request
      begin
        attempt_to_write(request) until written_out?(request)
      ensure
        @writer = nil if @writer.equal?(request)
      end
    end

    private

    def attempt_to_write(request)
      case @state.lead(request)
      when :leads then @trunk.step(request)
      when :parked
        Waiting.park(request, Waiting.now + WRITE_AGAIN)
        @trunk.flush
      end
    end

    # A request that is done was written, and what came behind it is for other callers to write.
    def written_out?(request) = @wire.flushed? || !@trunk.loss.nil? || request.done? || request.patience_over?
  end
  private_constant :OutputWriter
end
