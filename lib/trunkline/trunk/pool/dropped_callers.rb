# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # What callers hold of a pool that will never go on. A thread or an event loop that ends may drop fibers where they are, with what they hold: a
  # trunk of their own, a place in line, a trunk that they were about to open; and a program drops fibers that it does not resume. Looked for
  # where a caller waits.
  class DroppedCallers # :nodoc:
    # Seconds that a caller waits, or half of what it may wait where that is less, before garbage is collected for it: a program that
    # allocates little may not collect for minutes, and what its dropped fibers hold shows by their collection alone.
    COLLECT_AFTER = 1.0
    # Seconds between two such collections. One takes 0.17 s where a million objects are alive: 2 % of the time.
    COLLECT_EVERY = 10.0
    # Seconds between two looks at connections that stall: each costs a system call for a connection that other event loops use.
    LOOK_EVERY = 0.5
    # Why a trunk is closed that nothing can use any more.
    GONE = "the fiber or thread that used it has ended, or was dropped by its program or its event loop"
    private_constant :COLLECT_AFTER, :COLLECT_EVERY, :LOOK_EVERY, :GONE

    # @param roster [Roster] of the trunks there are
    # @param owners [Array<#any_gone?, #forget_gone>] of entries of callers
    def initialize(roster, owners)
      @roster = roster
      @owners = owners
      @collected = @looked = -Float::INFINITY # when garbage was collected last, and connections were looked at that stall
    end

    # Where connections are held by callers that ask nothing of them at this moment, some of these may have been dropped. Of a stream, more may be in
    # flight meanwhile.
    #
    # @param entry [WaitingLine::Entry] of the caller that waits
    def collect(entry)
      return if Waiting.now < collection_time(entry) || @roster.pinned.none? { |trunk| trunk.user && trunk.deserted? }

      @collected = Waiting.now
      GC.start
    end

    # @return [Float, nil] when {collect} will have something to do, on the clock of Waiting.now; nil: it has now
    def collection_due(entry)
      time = collection_time(entry)
      time if time > Waiting.now
    end

    # Ends the connections that they hold, and those that stall.
    #
    # @yield entries of theirs stand in the others' way, and are to be forgotten
    def close_trunks
      end_stalls
      @roster.pinned.select { |trunk| dropped?(trunk) }.each { |trunk| end_use(trunk) }
      yield if @owners.any?(&:any_gone?)
    end

    # Held: the pool's lock.
    def forget = @owners.each(&:forget_gone)

    private

    # Other callers may still ask for answers to what they sent before the trunk was one caller's own. It was dropped while it waited for these: then
    # the trunk ends when they have come.
    def end_use(trunk)
      trunk.catch_up
      trunk.close(GONE) unless trunk.reader.settling? && !trunk.state.only_abandoned?
    end

    # No other thread can find out whether the callers of these are gone.
    def end_stalls
      return if Waiting.now < @looked + LOOK_EVERY

      @looked = Waiting.now
      @roster.all.each(&:end_stall)
    end

    # Another thread may give the trunk back, and a third take it, while the user is asked, also by the same user: a connection of ActiveRecord's
    # that has another thread now. So one that had gone and still has the trunk is asked again.
    def dropped?(trunk)
      user = trunk.user or return false
      forgotten = trunk.state.forget_dropped
      (forgotten || !user.alive?) && trunk.user.equal?(user) && (forgotten || !user.alive?)
    end

    def collection_time(entry) = [entry.first_since + [COLLECT_AFTER, (entry.expires_at - entry.first_since) / 2].min, @collected + COLLECT_EVERY].max
  end
  private_constant :DroppedCallers
end
