# frozen_string_literal: true

require "weakref"
require_relative "waiting"

module Trunkline
  # Writes output that a sleeping leader would not write.
  class OutputWriter # :nodoc:
    # Seconds after which a caller that is not the leader tries to write again. A socket's buffer holds some 200 kB: this allows 200 MB/s.
    WRITE_AGAIN = 0.001

    # @param trunk [Trunk] that steps, flushes and is lost
    # @param state [ConnectionState] the trunk's
    # @param wire [Wire] the trunk's
    def initialize(trunk, state, wire)
      @trunk = trunk
      @state = state
      @wire = wire
      @writer = nil # WeakRef of the request of the caller that writes: a fiber that its event loop drops there can be collected
    end

    # Returns when the output is written, or at once if another caller already does this. The leader writes output while it waits for answers. But a
    # leader that went to sleep with an empty output is not woken when the socket has room. So a caller beside it retries, parked in between. When the
    # leader leaves, this caller becomes the leader. So some caller reads as long as one waits to write, which is necessary: a server that cannot send
    # its answers reads no more requests.
    #
    # @param request [Request] the caller's, submitted
    def write_out(request)
      return if written_out?(request) || another_writes?

      writer = @writer = WeakRef.new(request)
      begin
        attempt_to_write(request) until written_out?(request)
      ensure
        @writer = nil if writer.equal?(@writer)
      end
    end

    private

    def another_writes?
      @writer ? !@writer.dropped? : false
    rescue WeakRef::RefError
      false
    end

    def attempt_to_write(request)
      case @state.lead(request)
      when :leads then @trunk.step(request)
      when :parked
        Waiting.park(request, Waiting.now + WRITE_AGAIN)
        @trunk.flush
      end
    end

    # A request that is done was written; other callers write what was submitted after it.
    def written_out?(request) = @wire.flushed? || !@trunk.loss.nil? || request.done? || request.wait_over?
  end
  private_constant :OutputWriter
end
