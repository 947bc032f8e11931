# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # How a caller waits in a pool's line: it stands there and sleeps, and the caller that frees a trunk wakes exactly those that it has called. One of
  # those that wait looks again soon, for all: see {WaitQueue#watch}.
  class WaitInLine # :nodoc:
    # @param lock [Lock] the pool's
    # @param roster [Roster] of the trunks there are
    # @param queue [WaitQueue] of the callers that wait
    # @param dropped [DroppedCallers] looked for meanwhile
    # @param change [#call] runs a block with the lock held, and notes for all callers what it has changed
    # @param call_up [#call] the same, of a block that gives entries of callers, which are woken
    def initialize(lock, roster, queue, dropped, change, call_up)
      @lock = lock
      @roster = roster
      @queue = queue
      @dropped = dropped
      @change = change
      @call_up = call_up
    end

    # Puts the caller in line behind others, of which one looks for room; the line has been there, and nothing else changes.
    #
    # @return [Boolean] false: the caller is to look itself
    def follow(entry) = @lock.synchronize { @queue.follow(entry) }

    # Returns when the caller is to have the entry's trunk, or it is time to look again.
    #
    # @param called [Array<WaitingLine::Entry>, nil] those that are owed a wake-up; nil: another caller looks for room for all
    # @return [Trunk, nil]
    def wait(entry, called)
      loop do
        sleep(entry, called)
        break if entry.trunk # the trunk is the caller's when it has left the line: until then, it may be taken for dropped

        @roster.catch_up
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
      look_around(called - [entry]) if called
      due = called ? @queue.watch(entry, @dropped.collection_due(entry)) : entry.sleeps_until
      called&.include?(entry) || entry.told? ? entry.request.resume : Waiting.park(entry.request, due)
    end

    def look_around(called)
      called.each(&:wake)
      @dropped.close_trunks { @call_up.call { @dropped.forget && @queue.serve } }
    end

    # A caller that goes in spite of having been called passes the call on.
    def leave(entry)
      @call_up.call { @queue.serve } if @lock.synchronize { @queue.leave(entry) }
    end
  end
  private_constant :WaitInLine
end
