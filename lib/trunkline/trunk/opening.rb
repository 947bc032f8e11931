# frozen_string_literal: true

require_relative "back_off"

module Trunkline
  # How a pool opens trunks: a caller that may opens one and goes on with it. After a failure there is a pause; callers that have
  # open trunks go on with these meanwhile, and one that has none waits for its end, and for one attempt that then stands for all, unless it
  # takes long itself. Where the server takes no more connections, there are as many as it takes until the pause is over.
  module Opening # :nodoc:
    # Seconds for which a server may still count a connection that has ended: its process ends some milliseconds after the socket, later on a
    # busy machine.
    STILL_COUNTED = 1.0
    private_constant :STILL_COUNTED

    private

    def may_open?(place)
      return @roster.room_alone? && !hold_back? if place.alone?
      return @roster.room? && !hold_back? if place.blocks_its_scheduler?

      may_open_to_share?
    end

    # Should there be more trunks to share than usual, for one that no trunk will do for?
    def may_grow?(place)
      !hold_back? && @roster.room_to_grow? && @roster.dispatcher.wants_another?(place.request, @roster.opening_to_share)
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
        @roster.opening(alone: place.alone?) unless @openers.delete(place) # it was given up for dropped, and was not
        @roster.opened(trunk, alone: place.alone?)
        @ledger.opened(trunk)
        @back_off.succeeded
        serve
      end
      trunk.close("the client was closed") if @closed
      trunk
    rescue Error => error
      error = nil if place.request.overdue?
      raise if error && !goes_on?(place, error)
    ensure
      not_opened(place, error) unless trunk || !roster.equal?(@roster) # which a forked child has made anew
    end

    # Until there is a better measure, a round trip is known to take no longer than all that connecting took.
    def open_in_time(place)
      start = Waiting.now
      trunk = Deadlines.hold(place.request.deadline) { @open.call(self) }
      # It may have been asked something, and the connection was lost then: shared all the same, it would be chosen again and again.
      raise ConnectionError.new(trunk.loss.reason, server: @server) if trunk.loss

      trunk.state.bound(@limits.max_in_flight, @limits.max_bytes_in_flight, @limits.expiry)
      trunk.state.round_trip = Waiting.now - start
      trunk
    end

    # Is there a trunk that the caller can go on with, or wait for, instead? Where the server takes no more connections, any of this pool will
    # do, be it one that is being opened: it is the place that was asked for.
    def goes_on?(place, error)
      return @roster.size > 1 || still_counted? if error.server_full?
      return @roster.trunks.any? unless place.alone?

      error.is_a?(ServerError) && @roster.pinned.any?
    end

    def still_counted? = Waiting.now - @ended_at < STILL_COUNTED

    # Others that wait for a first connection would only find the same; callers that have trunks go on with these for a while.
    def not_opened(place, error)
      call_up do
        forget_opener(place)
        note_failure(error) if error
        fails_for_all?(error) ? @lines.flat_map { |line| line.call_all(error) } : serve
      end
    end

    def fails_for_all?(error) = error && @roster.nothing_open? && !(error.server_full? && still_counted?)

    def note_failure(error)
      @back_off.failed
      @ledger.failed
      @roster.refuse_more if error.server_full?
    end
  end
  private_constant :Opening
end
