# frozen_string_literal: true

module Trunkline
  # What a caller that finds no trunk at once does next: takes one, opens one, makes room on one, or waits. The pool's lock is held around each
  # call.
  class Admission # :nodoc:
    # @param roster [Roster] of the trunks there are
    # @param opener [Opener] of further ones
    # @param queue [WaitQueue] of the callers that wait
    def initialize(roster, opener, queue)
      @roster = roster
      @opener = opener
      @queue = queue
    end

    # @param place [WaitingLine::Place] of the caller
    # @yield the caller has come to stand in line, and another may be called: the pool looks at that before callers are called
    # @return [Array, Symbol, nil] :open, or with a trunk :take, :make_room, :retire, or :wait with the places of those that are owed a wake-up;
    #   nil: the caller's deadline has passed
    # @raise [Overloaded] it has waited for long enough, or cannot wait
    def decide(place, &lined_up)
      old = @roster.retire
      return [:retire, old] if old
      return line_up(place, &lined_up) if @queue.must_join?(place)

      place.alone? ? decide_alone(place, &lined_up) : decide_to_share(place, &lined_up)
    end

    private

    def decide_alone(place, &lined_up)
      return [:take, @roster.take] if @roster.any_to_take?

      @opener.may_open?(place) ? open_for(place) : line_up(place, &lined_up)
    end

    def decide_to_share(place, &lined_up)
      return line_up(place, &lined_up) if @queue.waits_for_drained?(place)
      return [:take, @roster.share_spare] if @roster.spare_to_share?
      return open_for(place) if @opener.may_open?(place)

      trunk = @roster.dispatcher.find(place.request)
      return [:take, trunk] if trunk
      return grow_for(place) if @opener.may_grow?(place)

      unread = @roster.dispatcher.unread_for(place.request)
      unread ? [:make_room, unread] : line_up(place, &lined_up)
    end

    def grow_for(place) = @roster.any_spare? ? [:take, @roster.share_spare] : open_for(place)

    def open_for(place)
      @opener.begin_attempt(place)
      :open
    end

    def line_up(place)
      return unless @queue.join(place)

      yield # so that a caller that leaves a trunk from now on calls this one; serve looks at those that have been left before
      [:wait, @queue.serve]
    end
  end
  private_constant :Admission
end
