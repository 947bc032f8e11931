# frozen_string_literal: true

require_relative "back_off"

module Trunkline
  # How a pool opens trunks: a caller that may opens one and goes on with it. After a failure there is a pause; callers that have
  # open trunks go on with these meanwhile, and one that has none waits for its end, and for one attempt that then stands for all, unless it
  # takes long itself.
  module Opening # :nodoc:
    private

    def may_open?(place)
      return @roster.room_alone? && !hold_back? if place.alone?
      return @roster.room? && !hold_back? if place.blocks_its_world?

      may_open_to_share?
    end

    # Should there be more trunks to share than usual, for one that no trunk will do for?
    def may_grow?(place)
      !hold_back? && @roster.dispatcher.wants_another?(place.request, @roster.opening_to_share)
    end

    def grow_for(place) = @roster.any_spare? ? [:take, @roster.share_spare] : open_for(place)

    def may_open_to_share? = @roster.room_to_share? && !hold_back?

    def hold_back?
      @back_off.failing? && (@back_off.paused? || (@roster.opening? && !@back_off.lagging?))
    end

    def open_for(place)
      @back_off.begin_attempt
      @roster.opening(alone: place.alone?)
      @openers[place] = true
      :open
    end

    def open_trunk(place)
      roster = @roster
      trunk = open_in_time(place)
      call_up do
        @openers.delete(place)
        @roster.opened(trunk, alone: place.alone?)
        @ledger.opened(trunk)
        @back_off.succeeded
        serve
      end
      trunk.close("the client was closed") if @closed
      trunk
    rescue Error => error
      error = nil if place.request.overdue?
      raise if error && alternatives_to(place, error).none?
    ensure
      not_opened(place, error) unless trunk || !roster.equal?(@roster) # which a forked child has made anew
    end

    # Until there is a better measure, a round trip is known to take no longer than all that connecting took.
    def open_in_time(place)
      start = Waiting.now
      trunk = Deadlines.hold(place.request.deadline) { @open.call(self) }
      trunk.crew.bound(@limits.max_in_flight, @limits.max_bytes_in_flight, @limits.expiry)
      trunk.crew.round_trip = Waiting.now - start
      trunk
    end

    # The open trunks that the caller can go on with, or wait for, instead. A server that turns one more session away may well
    # be full: then a caller that wants one of its own waits for another's to be given back.
    def alternatives_to(place, error)
      return @roster.trunks unless place.alone?

      error.is_a?(ServerError) ? @roster.pinned : []
    end

    # Others that wait for a first connection would only find the same; callers that have trunks go on with these for a while.
    def not_opened(place, error)
      call_up do
        forget_opener(place)
        note_failure if error
        error && @roster.nothing_open? ? @lines.flat_map { |line| line.call_all(error) } : serve
      end
    end

    def note_failure
      @back_off.failed
      @ledger.failed
    end
  end
  private_constant :Opening
end
