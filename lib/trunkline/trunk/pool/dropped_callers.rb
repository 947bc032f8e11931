# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # Finds what is held by callers of a pool that will never resume. A thread or event loop that ends may drop fibers where they are, with what they
  # hold: a reserved trunk, an entry in a queue, an attempt to open a trunk. A program may also drop fibers that it does not resume. Waiting callers
  # run these checks.
  class DroppedCallers # :nodoc:
    # Seconds that a caller waits, or half of its max_wait if that is less, before it runs the garbage collector: a program that allocates little may
    # not collect for minutes, and only collection shows what its dropped fibers hold. A pool whose callers wait for less never collects.
    COLLECT_AFTER = Waiting::LONGEST_TURN
    # Seconds between two such collections. One takes 0.17 s with a million live objects, which is 2 % of the time.
    COLLECT_EVERY = 10.0
    # Seconds between two checks for stalled connections: each costs a system call for every connection that other event loops use, so 200 a second
    # for 100 connections. A stalled one is found within one and a half times the limit.
    STALL_CHECK_INTERVAL = Waiting::LONGEST_TURN / 2
    # The reason given when such a trunk is closed.
    GONE = "the fiber or thread that used it has ended, or was dropped by its program or its event loop"
    private_constant :COLLECT_AFTER, :COLLECT_EVERY, :STALL_CHECK_INTERVAL, :GONE

    # @param roster [Roster] the pool's trunks
    # @param owners [Array<#any_gone?, #forget_gone>] hold entries of callers
    def initialize(roster, owners)
      @roster = roster
      @owners = owners
      @collected_at = @stalls_checked_at = -Float::INFINITY # when garbage was collected last, and stalls were checked last
    end

    # Runs the garbage collector if pinned connections have users but no active caller: some of these users may have been dropped. A stream has
    # requests in flight between two reads, so that alone does not show that its user is alive.
    #
    # @param entry [CallerQueue::Entry] of the waiting caller
    def collect(entry)
      return if Waiting.now < collection_time(entry) || @roster.pinned.none? { |trunk| trunk.user && trunk.deserted? }

      @collected_at = Waiting.now
      GC.start
    end

    # @return [Float, nil] when {collect} will have something to do, on the clock of Waiting.now; nil: at once
    def collection_due(entry)
      time = collection_time(entry)
      time if time > Waiting.now
    end

    # Ends connections that dropped callers hold, and stalled ones.
    #
    # @yield entries of dropped callers block others: the block removes them
    def close_trunks
      end_stalls
      @roster.pinned.select { |trunk| dropped?(trunk) }.each { |trunk| end_use(trunk) }
      yield if @owners.any?(&:any_gone?)
    end

    # Removes entries of dropped callers. The pool's lock is held.
    def forget = @owners.each(&:forget_gone)

    private

    # Other callers may still wait for answers to what they sent before the trunk was reserved. If its user was dropped while it waited for these, the
    # trunk is closed when they have arrived.
    def end_use(trunk)
      trunk.read_unattended
      return if trunk.reader.settling? && !trunk.state.only_abandoned?

      trunk.close(GONE)
      trunk.state.displace_leader # it may be a dropped fiber, whose event loop could not be collected
    end

    # Only checks in other threads can find out that the callers of these connections do not resume.
    def end_stalls
      return if Waiting.now < @stalls_checked_at + STALL_CHECK_INTERVAL

      @stalls_checked_at = Waiting.now
      @roster.all.each(&:end_stall)
    end

    # Checked twice: while the user is checked, another thread may return the trunk and a third may take it, even with the same user object, as
    # ActiveRecord connections move between threads. A user that stands for several callers is not gone with one of them.
    def dropped?(trunk)
      user = trunk.user or return false
      forgotten = trunk.state.forget_dropped && !user.shared?
      (forgotten || !user.alive?) && trunk.user.equal?(user) && (forgotten || !user.alive?)
    end

    def collection_time(entry) = [entry.first_since + [COLLECT_AFTER, (entry.expires_at - entry.first_since) / 2].min, @collected_at + COLLECT_EVERY].max
  end
  private_constant :DroppedCallers
end
