# frozen_string_literal: true

require_relative "../socket/readiness"
require_relative "waiting_line"

module Trunkline
  # How a pool's callers wait: for room on a trunk, in the order in which they come, so that a caller that asks for much stands in line
  # once for each; for an idle trunk with what takes long; and for a trunk of their own. There is a line for each of these, so
  # that none stands in the others' way.
  module Queueing # :nodoc:
    LONGEST_WAIT = Socket::Readiness::LONGEST_WAIT
    # Seconds after which a caller that waits for room looks whether the server is held up on every trunk, and there is room for another.
    LOOK_AGAIN = 0.02
    # Seconds after which what takes long is given a trunk that callers that share would keep busy for ever. One that has been called and
    # was outrun has waited for long enough.
    LONG_ENOUGH = 0.1
    # Seconds for which callers that need no waking may pass by one that waits with what takes long. Then a trunk is kept for that one.
    PATIENCE = 0.005
    # Seconds that a caller waits, or half of what it may wait where that is less, before garbage is collected for it: a program that
    # allocates little may not collect for minutes, and what its dropped fibers hold shows by their collection alone.
    COLLECT_AFTER = 1.0
    # Seconds between two such collections. One takes 0.17 s where a million objects are alive: 2 % of the time.
    COLLECT_EVERY = 10.0
    # Why a trunk is closed that nothing can use any more.
    GONE = "the fiber or thread that used it has ended, or was dropped by its program or its event loop"
    private_constant :COLLECT_AFTER, :COLLECT_EVERY, :GONE, :LONGEST_WAIT, :LOOK_AGAIN, :LONG_ENOUGH, :PATIENCE

    private

    def begin_lines
      @sharing = WaitingLine.new
      @sharing_long = WaitingLine.new
      @alone = WaitingLine.new
      @lines = [@alone, @sharing, @sharing_long]
      @openers = {}.compare_by_identity # callers that open a trunk
      @collected = -Float::INFINITY # when garbage was collected for a caller that waits
      @seekers = {}.compare_by_identity # callers that have stood in the second line, and have no trunk yet
    end

    def line_of(place)
      return @alone if place.alone?

      place.long? ? @sharing_long : @sharing
    end

    def line_up(place)
      if place.blocks_its_scheduler? && !place.alone?
        raise overloaded("this fiber blocks its event loop, whose other fibers use all connections")
      end
      return if place.overdue? && place.request.overdue? # by a deadline of its own
      raise overloaded("no connection had room within #{format("%g", @limits.max_wait)} s (max_wait)#{why_wait(place)}") if place.overdue?
      raise overloaded("#{@limits.max_waiting} callers wait already (max_waiting)#{why_wait(place)}") if full?(line_of(place))

      line_of(place).join(place, @limits.max_wait)
      @seekers[place] = true if place.alone?
      look_again # so that a caller that leaves a trunk from now on calls this one; serve looks at those that have been left before
      [:wait, serve]
    end

    def full?(line) = line.size >= @limits.max_waiting

    # @return [String] for a caller that waits in vain; empty where connections are shared, and are just busy
    def why_wait(place)
      return "#{place.explanation}; #{@roster.limit}" if place.alone? && !place.explanation.empty?

      @roster.pinned.any? && @roster.trunks.empty? ? ": sessions, transactions or subscriptions hold all connections; #{@roster.limit}" : place.explanation
    end

    def overloaded(reason) = Overloaded.new(reason, server: @server)

    # No caller passes those that wait for the same, but for one that cannot wait.
    def must_line_up?(place) = !place.called? && !line_of(place).empty? && !place.blocks_its_scheduler?

    # @param called [Array<Place>] that are owed a wake-up
    # @return [Trunk, nil] that the caller is to have; nil: it is time to look again
    def wait_in_line(place, called)
      loop do
        wake(called - [place])
        collect_dropped(place)
        end_what_the_gone_hold
        called.include?(place) ? place.request.resume : Waiting.park(place.request, waking_time(place))
        catch_up
        break place.trunk if place.trunk || !locked { place.stay }

        called = locked { serve }
      end
    ensure
      step_out(place)
    end

    # A thread or an event loop that ends may drop fibers where they are, with what they hold: a trunk of their own, a place in line, a
    # trunk that they were about to open; and a program drops fibers that it does not resume. Looked for where a caller waits.
    def end_what_the_gone_hold
      @roster.pinned.select { |trunk| trunk.user && (trunk.state.forget_dropped || !trunk.user.alive?) }.each { |trunk| trunk.close(GONE) }
      return if [*@openers.keys, *@seekers.keys].none?(&:gone?)

      call_up do
        @lines.each(&:forget_gone)
        @seekers.reject! { |place,| place.gone? }
        @openers.keys.each { |place| forget_opener(place) if place.gone? }
        serve
      end
    end

    # Where connections are kept by what asks nothing of them at this moment, some of that may have been dropped.
    def collect_dropped(place)
      return if Waiting.now < collection_time(place) || @roster.pinned.none? { |trunk| trunk.user && trunk.idle? }

      @collected = Waiting.now
      GC.start
    end

    def collection_time(place) = [place.first_since + [COLLECT_AFTER, (place.give_up_at - place.first_since) / 2].min, @collected + COLLECT_EVERY].max

    def forget_opener(place) = @openers.delete(place) && @roster.not_opened(alone: place.alone?)

    # Takes in the answers of which no caller waits for the next: where all have come, a connection is idle, and one that was retired ends.
    def catch_up
      @roster.retiring.dup.each(&:retire_now) unless @roster.retiring.empty?
      @roster.dispatcher.unread.each(&:catch_up)
    end

    def waking_time(place)
      looks_again = line_of(place).first.equal?(place) && (place.long? || @roster.dispatcher.unattended? || (!place.alone? && @roster.room_to_grow?))
      now = Waiting.now
      collection = collection_time(place)
      [place.give_up_at, now + (looks_again ? LOOK_AGAIN : LONGEST_WAIT), @back_off.pause_end, (collection if collection > now)].compact.min
    end

    # A caller that goes in spite of having been called passes the call on; and with a trunk that was kept for it, when it leaves that.
    def step_out(place)
      @waits << (Waiting.now - place.since)
      call_up { line_of(place).leave(place) || (place.called? && !place.trunk) ? serve : [] } unless place.trunk && !place.lined_up?
    end

    # The caller has a trunk, or goes without one.
    def seek_no_more(place)
      call_up { @seekers.delete(place) ? serve : [] } if place.give_up_at
    end

    # A single connection goes to the callers that wait to share it, before it is kept for the next one that wants one of its own. Held: the lock.
    #
    # @param trunk [Trunk] that was given back
    # @return [Array<WaitingLine::Place>] those that are owed a wake-up
    def board_single(trunk)
      return [] unless @roster.single?

      [@sharing, @sharing_long].flat_map { |line| line.empty? ? [] : line.call_for(trunk, @roster.dispatcher.room_for(line.first.request)) }
    end

    # Calls the callers that can go on now. Held: the lock.
    #
    # @return [Array<WaitingLine::Place>] those that are owed a wake-up
    def serve
      @sharing.hand_over_to(@sharing_long) while @sharing.first&.turned_long?
      long = @sharing_long.first
      @roster.drain(!@seekers.empty?, !long.nil? && (long.called? || Waiting.now - long.since > LONG_ENOUGH))
      @roster.share_drained if long && @seekers.empty?
      keep_trunks.concat(@lines.flat_map { |line| call_from(line) })
    end

    def call_from(line)
      place = line.first
      room = place ? room_for(place) : 0
      room.positive? ? line.call_first(room) : []
    end

    # A caller that waits with what takes long is called to a trunk of which no other takes hold meanwhile.
    def keep_trunks
      called = []
      while (place = @sharing_long.first) && passed_by?(place) && !waits_for_drained?(place) && (trunk = @roster.dispatcher.keep_for(place.request))
        place.trunk = trunk
        called.concat(@sharing_long.call_first(1))
      end
      called
    end

    def passed_by?(place) = place.called? || Waiting.now - place.since > PATIENCE

    # How many may go at once: the others would find the room taken.
    def room_for(place)
      return 0 if waits_for_drained?(place)

      room = place.alone? ? 0 : @roster.dispatcher.room_for(place.request)
      return room if room.positive?

      @closed || may_open?(place) || (place.alone? ? @roster.any_to_take? : may_go?(place)) ? 1 : 0
    end

    # What takes long goes nowhere else meanwhile: those that are left look as if there never were more.
    def waits_for_drained?(place) = place.long? && @roster.draining? && !place.blocks_its_scheduler?

    # There is no room, but something to be done about it.
    def may_go?(place) = @roster.spare_to_share? || may_grow?(place) || !@roster.dispatcher.unread_for(place.request).nil?

    # Wakes those that a change of the line or the roster has called. They sleep until they are woken, so nothing comes between.
    #
    # @yieldreturn [Array<WaitingLine::Place>] held: the lock
    def call_up
      Waiting.undisturbed { wake(locked { yield }) }
    end

    def wake(places) = places.each { |place| place.request.wake }
  end
  private_constant :Queueing
end
