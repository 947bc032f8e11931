# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "waiting"

module Trunkline
  # Shows whether the event loop of a fiber still runs it. The fiber renews its attendance at least once a second while it waits. If its event loop
  # was dropped by a thread that makes no more calls, no other thread can detect that in another way.
  class Attendance # :nodoc:
    # Seconds for which a fiber sleeps at most before it renews its attendance.
    LONGEST_SLEEP = Socket::Readiness::LONGEST_WAIT
    # Seconds without a renewal after which the fiber counts as dropped: a bound, as long as a connection is kept for a fiber
    # that may still be resumed, see Stall.
    LONGEST_ABSENCE = 30.0
    # Seconds that count at most from one check to the next: a process that was stopped as a whole (SIGSTOP) was not absent meanwhile. A bound, as in stall.c.
    LONGEST_STEP = 1.0
    private_constant :LONGEST_ABSENCE, :LONGEST_STEP

    # @return [Waiter, FiberOwner, nil] the fiber's, or a thread's
    attr_reader :waiter

    # @param waiter [Waiter, FiberOwner, nil] the latter keeps no dropped event loop from being collected; nil: several callers renew it
    # @yield whenever it is renewed
    def initialize(waiter = nil, &renewed)
      @waiter = waiter
      @renewed = renewed
      @generation = Trunkline.process_generation
      renew
    end

    def renew
      @absent = 0.0
      @checked_at = nil
      @renewed&.call
    end

    # @param other [Attendance]
    # @return [Boolean] whether both are of one event loop, or of threads without one
    def same_loop?(other) = @waiter.scheduler.equal?(other.waiter.scheduler)

    # @param longest [Float] seconds without a renewal from which on it counts as not renewed
    # @return [Boolean] whether it has not been renewed for as long, as far as calls of this method have seen
    def lapsed?(longest = LONGEST_ABSENCE)
      checked_at, now = @checked_at, Waiting.now
      @absent += [now - checked_at, LONGEST_STEP].min if checked_at
      @checked_at = now
      @absent >= longest
    end

    # @param longest [Float] as {#lapsed?}
    # @return [Boolean] whether the fiber was dropped: for certain, or as it has not renewed its attendance for too long. A fiber of the calling event
    #   loop was not, unless that is certain: the loop runs. In a forked child no fiber or thread of the parent runs
    def dropped?(longest = LONGEST_ABSENCE) = inherited? || @waiter.dropped? || (Waiting.of_another_loop?(@waiter) && lapsed?(longest))

    private

    def inherited? = @generation != Trunkline.process_generation
  end
  private_constant :Attendance
end
