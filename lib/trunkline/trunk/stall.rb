# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # The end of a connection whose callers are fibers of an event loop that does not go on: what has come lies there unread. The thread may have
  # dropped the event loop and ask nothing more, which no other thread can find out; or it is blocked. Looked at while others wait for a connection.
  #
  # What has come is taken in, so that a fiber that goes on after all has its answer, and then the connection is closed: that wakes a leader that
  # sleeps on the socket, from which its answer is gone.
  class Stall # :nodoc:
    # Seconds after which that is done where it costs a loop that is only blocked no more than another connection: all that is in flight is
    # answered, and no session has the connection for its own. As long as a caller may not come that was called: see UnansweredCalls.
    LONGEST = 1.0
    # Seconds after which it is done where a transaction is rolled back by that, or what is not answered yet is lost. Garbage collection and
    # debuggers stop a whole process, which does not count.
    LONGEST_WITH_LOSS = 30.0
    # Seconds for which a caller reads at once: it may be a fiber, and others of its event loop wait meanwhile.
    READING = 0.02
    # Why the connection is closed.
    REASON = "the event loop of the fibers that used it did not go on, and others waited for a connection"
    private_constant :LONGEST, :LONGEST_WITH_LOSS, :READING, :REASON

    # @param trunk [Trunk] that flushes, reads and is closed
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    def initialize(trunk, state, codec)
      @trunk = trunk
      @state = state
      @codec = codec
    end

    # Looks whether the connection stalls, and ends it when it has for too long.
    def end_if_long
      seconds = @state.stalled_for
      if seconds >= LONGEST_WITH_LOSS
        take_in
        @trunk.close(REASON)
      elsif seconds >= LONGEST && @state.lead_to_be_taken_over?
        @trunk.flush
        take_in
        @trunk.close(REASON) if @codec.idle?
      end
    end

    private

    def take_in
      waiter = Waiter.new
      @state.take_lead_over(waiter)
      @trunk.alive?(Waiting.now + READING)
    ensure
      next_leader = @state.hand_lead_back(waiter)
      next_leader.wake if next_leader
    end
  end
  private_constant :Stall
end
