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
    # Seconds until it is closed if that rolls back a transaction, or loses requests that are not answered. Garbage collection and debuggers stop the
    # whole process, which does not count. It is a bound: a process whose event loop is blocked for as long answers no health check either (Kubernetes
    # restarts it after 3 failed probes, 10 s apart, by default).
    LONGEST_WITH_LOSS = 30.0
    # The reason given when the connection is closed.
    REASON = "the event loop of the fibers that used it was blocked or dropped, and other callers waited for a connection"
    private_constant :LONGEST_WITH_LOSS, :REASON

    # @param trunk [Trunk] that flushes, reads and is closed
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    def initialize(trunk, state, codec)
      @trunk = trunk
      @state = state
      @codec = codec
    end

    # Checks whether the connection is stalled, and closes it if it has been for too long. That is sooner if it costs a loop that was only blocked no more
    # than a new connection: everything in flight is answered, and no session has the connection. Callers that were dropped for
    # certain are forgotten.
    def end_if_long
      @state.forget_dropped
      seconds = @state.stalled_for
      if seconds >= LONGEST_WITH_LOSS
        read_in_place_of_leader
        close
      elsif seconds >= Waiting::LONGEST_TURN && @state.lead_can_be_taken_over?
        @trunk.flush
        read_in_place_of_leader
        close if @codec.idle?
      end
    end

    private

    # What is lost keeps no dropped event loop from being collected, and what its fibers refer to.
    def close
      @trunk.close(REASON)
      @state.displace_leader
    end

    def read_in_place_of_leader
      waiter = Waiter.new
      @state.take_lead_over(waiter)
      @trunk.alive?(Waiting.now + Waiting::TURN)
    ensure
      next_leader = @state.hand_lead_back(waiter)
      next_leader.wake if next_leader
    end
  end
  private_constant :Stall
end
