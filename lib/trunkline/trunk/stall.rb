# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # Ends a connection whose callers are fibers of an event loop that does not run, so that input stays unread. The thread may have dropped the event
  # loop and make no more calls, which no other thread can detect; or the loop is blocked. Checked while others wait for a connection.
  #
  # A caller that waits for what the server may never send wakes once a second. That it does not wake then counts like unread input.
  #
  # Input that has arrived is read first, so that a fiber that resumes after all has its answer. Then the connection is closed: that wakes a leader
  # that sleeps on the socket, whose answer has been read by another caller.
  class Stall # :nodoc:
    # Seconds until the connection is closed if that costs a loop that was only blocked no more than a new connection: everything in flight is
    # answered, and no session has the connection. The same time as for a called fiber: see UnansweredCalls.
    LONGEST = 1.0
    # Seconds until it is closed if that rolls back a transaction, or loses requests that are not answered. Garbage collection and debuggers stop the
    # whole process, which does not count.
    LONGEST_WITH_LOSS = 30.0
    # Seconds for which a caller reads at once: it may be a fiber, and others of its event loop wait meanwhile.
    READING = 0.02
    # The reason given when the connection is closed.
    REASON = "the event loop of the fibers that used it was blocked or dropped, and other callers waited for a connection"
    private_constant :LONGEST_WITH_LOSS, :READING, :REASON

    # @param trunk [Trunk] that flushes, reads and is closed
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    def initialize(trunk, state, codec)
      @trunk = trunk
      @state = state
      @codec = codec
    end

    # Checks whether the connection is stalled, and closes it if it has been for too long. Callers that were dropped for certain are forgotten.
    def end_if_long
      @state.forget_dropped
      seconds = @state.stalled_for
      if seconds >= LONGEST_WITH_LOSS
        read_arrived
        @trunk.close(REASON)
      elsif seconds >= LONGEST && @state.lead_can_be_taken_over?
        @trunk.flush
        read_arrived
        @trunk.close(REASON) if @codec.idle?
      end
    end

    private

    def read_arrived
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
