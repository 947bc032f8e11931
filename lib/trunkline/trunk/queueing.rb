# frozen_string_literal: true

require_relative "waiting_line"

module Trunkline
  # How a pool's callers wait: those who share for room on a trunk, in one line, and those who want a trunk of their own, in
  # another, so that neither stands in the other's way.
  module Queueing # :nodoc:
    # Seconds. Some schedulers keep the timer of a wait until it fires, so no wait is long; each is in a loop.
    LONGEST_WAIT = 1.0
    private_constant :LONGEST_WAIT

    private

    def begin_lines
      @sharing = WaitingLine.new
      @alone = WaitingLine.new
      @seekers = {}.compare_by_identity # who has stood in the second line, and has no trunk yet
    end

    def line_of(place) = place.alone? ? @alone : @sharing

    def line_up(place)
      if place.blocks_its_world? && !place.alone?
        raise overloaded("this fiber blocks its event loop, whose other fibers use all connections")
      end
      return if place.overdue? && place.request.overdue? # by a deadline of its own
      raise overloaded("no connection had room within #{format("%g", @limits.max_wait)} s (max_wait)#{place.explanation}") if place.overdue?
      raise overloaded("#{@limits.max_waiting} callers wait already (max_waiting)#{place.explanation}") if full?(line_of(place))

      line_of(place).join(place, @limits.max_wait)
      @seekers[place] = true if place.alone?
      :wait
    end

    def full?(line) = line.size >= @limits.max_waiting

    def overloaded(reason) = Overloaded.new(reason, server: @server)

    # Nobody passes those who wait for the same.
    def must_line_up?(place) = !place.called? && !line_of(place).empty?

    def wait_in_line(place)
      loop do
        called = locked { serve }
        wake(called - [place])
        called.include?(place) ? place.request.resume : Waiting.park(place.request, waking_time(place))
        break unless locked { place.stay }
      end
    ensure
      step_out(place)
    end

    def waking_time(place) = [place.give_up_at, Waiting.now + LONGEST_WAIT, @back_off.pause_end].compact.min

    # Who goes in spite of having been called passes the call on.
    def step_out(place)
      @waits << (Waiting.now - place.since)
      wake(locked { line_of(place).leave(place) || place.called? ? serve : [] })
    end

    # He has a trunk, or goes without one.
    def seek_no_more(place)
      wake(locked { @seekers.delete(place) ? serve : [] }) if place.give_up_at
    end

    # Calls whoever can go on now. Held: the lock.
    #
    # @return [Array<WaitingLine::Place>] who is owed a wake-up
    def serve
      @roster.drain(!@seekers.empty?)
      [@alone, @sharing].flat_map do |line|
        place = line.first
        place && servable?(place) ? line.call_first(room_for(place)) : []
      end
    end

    def servable?(place)
      return true if @closed || may_open?(place)

      place.alone? ? @roster.any_to_take? : @roster.spare_to_share? || @roster.any_for?(place.world)
    end

    # How many may go at once: the others would find the room taken.
    def room_for(place)
      @closed || place.alone? ? 1 : [@roster.room_for(place.world, @limits.max_in_flight), 1].max
    end

    def wake(places) = places.each { |place| place.request.wake }
  end
  private_constant :Queueing
end
