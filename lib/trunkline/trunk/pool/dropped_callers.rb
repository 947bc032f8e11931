# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # Finds what is held by callers of a pool that will never resume. A thread or event loop that ends may drop fibers where they are, with what they
  # hold: a reserved trunk, an entry in a queue, an attempt to open a trunk. A program may also drop fibers that it does not resume. Waiting callers
  # run these checks.
  #
  # A fiber that was dropped in a transaction holds its connection until it is collected. It is not as long as a connection of another pool, or an entry
  # in a queue there, refers to another fiber of the same event loop. So those are checked, too.
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

    @of_all_pools = ObjectSpace::WeakMap.new

    class << self
      # @return [ObjectSpace::WeakMap] of this process, for each pool one
      attr_reader :of_all_pools
    end

    # @param roster [Roster] the pool's trunks
    # @param owners [Array<#any_gone?, #forget_gone>] hold entries of callers
    # @yield entries of dropped callers block others: the block removes them
    def initialize(roster, owners, &remove)
      @roster = roster
      @owners = owners
      @remove = remove
      @generation = Trunkline.process_generation
      DroppedCallers.of_all_pools[self] = self
      @collected_at = @stalls_checked_at = -Float::INFINITY # when garbage was collected last, and stalls were checked last
    end

    # Runs the garbage collector if pinned connections have users but no active caller: some of these users may have been dropped. A stream has
    # requests in flight between two reads, so that alone does not show that its user is alive.
    #
    # @param entry [CallerQueue::Entry] of the waiting caller
    def collect(entry)
      return if Waiting.now < collection_time(entry) || !any_collectable?

      @collected_at = Waiting.now
      read_for_shared_users
      GC.start
    end

    # @return [Float, nil] when {collect} will have something to do, on the clock of Waiting.now; nil: at once
    def collection_due(entry)
      time = collection_time(entry)
      time if time > Waiting.now
    end

    # Ends connections that dropped callers hold, and stalled ones.
    def close_trunks
      check_for_stalls
      @roster.pinned.select { |trunk| dropped?(trunk) }.each { |trunk| end_use(trunk) }
      remove_gone
    end

    # Removes entries of dropped callers. The pool's lock is held.
    def forget = @owners.each(&:forget_gone)

    protected

    # For a waiting caller of another pool.
    def clean_up
      return unless @generation == Trunkline.process_generation

      end_stalls
      remove_gone
    end

    private

    # @return [Boolean] whether a collection may show that a user of a connection was dropped
    def any_collectable? = @roster.pinned.any? { |trunk| trunk.user && trunk.deserted? }

    # A request in flight refers to its caller. One that was dropped while it waited for its LISTEN leaves it to others to read the answer, and none may
    # come.
    def read_for_shared_users = @roster.pinned.each { |trunk| trunk.read_unattended if trunk.user&.shared? }

    def remove_gone = (@remove.call if @owners.any?(&:any_gone?))

    # Other callers may still wait for answers to what they sent before the trunk was reserved. If its user was dropped while it waited for these, the
    # trunk is closed when they have arrived.
    def end_use(trunk)
      trunk.read_unattended
      return if trunk.reader.settling? && !trunk.state.only_abandoned?

      trunk.close(GONE)
      trunk.state.displace_leader # it may be a dropped fiber, whose event loop could not be collected
    end

    # Only checks in other threads can find out that the callers of these connections do not resume.
    def check_for_stalls
      return if Waiting.now < @stalls_checked_at + STALL_CHECK_INTERVAL

      @stalls_checked_at = Waiting.now
      end_stalls
      DroppedCallers.of_all_pools.keys.each { |other| other.clean_up unless other.equal?(self) } if any_collectable?
    end

    def end_stalls = @roster.all.each(&:end_stall)

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
