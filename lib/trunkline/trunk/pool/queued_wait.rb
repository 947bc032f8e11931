# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # The loop of a caller that waits in a queue of the pool. It sleeps, and the caller that frees a trunk wakes exactly those that it has called. One
  # of the waiting callers also wakes by a timer and checks for room, for all of them: see {WaitQueue#watch}.
  class QueuedWait # :nodoc:
    # @param lock [Lock] the pool's
    # @param roster [Roster] the pool's trunks
    # @param queue [WaitQueue] the waiting callers
    # @param dropped [DroppedCallers] checked meanwhile
    # @param change [#call] runs a block with the lock held, and updates the pool's hints
    # @param wake_called [#call] does the same, and wakes the callers of the entries that the block returns
    def initialize(lock, roster, queue, dropped, change, wake_called)
      @lock = lock
      @roster = roster
      @queue = queue
      @dropped = dropped
      @change = change
      @wake_called = wake_called
    end

    # Puts the caller into a queue behind others, one of which checks for room; the pool's hints need no update.
    #
    # @return [Boolean] false: the caller must check itself
    def follow(entry) = @lock.synchronize { @queue.follow(entry) }

    # Returns when a trunk is kept for the caller, or when it must choose again.
    #
    # @param called [Array<CallerQueue::Entry>, nil] of callers that must be woken; nil: another caller checks for room
    # @return [Trunk, nil]
    def wait(entry, called)
      loop do
        sleep(entry, called)
        break if entry.trunk # a kept trunk is the caller's only after it has left the queue: until then the caller may count as dropped

        @roster.read_unattended
        staying, called = @change.call { entry.stay && [true, @queue.serve_for(entry)] }
        break unless staying

        @dropped.collect(entry)
      end
      entry.trunk
    ensure
      leave(entry)
    end

    private

    def sleep(entry, called)
      wake_and_clean_up(called - [entry]) if called
      due = called ? @queue.watch(entry, @dropped.collection_due(entry)) : entry.sleeps_until
      called&.include?(entry) || entry.woke_itself? ? entry.request.resume : Waiting.park(entry.request, due)
    end

    def wake_and_clean_up(called)
      called.each(&:wake)
      @dropped.close_trunks
    end

    # A caller that leaves although it was called calls the next one instead.
    def leave(entry)
      @wake_called.call { @queue.serve } if @lock.synchronize { @queue.leave(entry) }
    end
  end
  private_constant :QueuedWait
end
