# frozen_string_literal: true

require_relative "deadlines"
require_relative "expiry"
require_relative "lock"
require_relative "roster"
require_relative "trunk"
require_relative "waiting_line"

module Trunkline
  # Finds a trunk for each request, and opens trunks. Requests that share go to the open trunk with the shortest expected
  # backlog; sessions get one of their own. Whoever finds the budget not used up opens the next connection and goes on with it;
  # whoever finds nothing waits in line until a trunk is opened, freed or lost.
  #
  # The way of a request over an open trunk takes no lock.
  class Pool # :nodoc:
    # Seconds without another attempt after a further connection could not be opened while others are open.
    PAUSE = 1.0
    private_constant :PAUSE

    # @param connections [Integer] the most that are shared
    # @param most [Integer] the most in all
    # @yield [pool] opens a connection
    # @yieldreturn [Trunk]
    def initialize(connections:, most:, &open)
      @limits = { connections: connections, most: most }
      @open = open
      @closed = false
      begin_anew
    end

    # Do callers wait for a trunk? Then nobody passes them.
    attr_reader :crowded
    alias crowded? crowded

    # Sends the request over a shared trunk and waits for its answer.
    #
    # @return [Trunk, nil] the one that carried it; nil: its deadline has passed before one could
    def perform(request)
      trunk = choose(request.world) unless @crowded
      return trunk if trunk && trunk.perform(request)

      find_for(request) { |found| found.perform(request) }
    end

    # Sends the request over a shared trunk.
    #
    # @return [Trunk, nil] the one that carries it; nil: its deadline has passed before one could
    def dispatch(request)
      trunk = choose(request.world) unless @crowded
      return trunk if trunk && trunk.dispatch(request)

      find_for(request) { |found| found.dispatch(request) }
    end

    # Waits for a trunk of the caller's own, who gives it back by check_in.
    #
    # @param request [Request] what the caller waits with
    # @return [Trunk]
    def check_out(request)
      place = WaitingLine::Place.new(request, alone: true)
      trunk = nil
      Waiting.undisturbed(request.world) do
        until trunk&.alive?
          raise Deadline, "the deadline has passed before a connection was free: nothing has happened" if request.overdue?

          trunk = obtain(place)
        end
        trunk
      end
    end

    # Takes a trunk back, in a state that suits anybody.
    def check_in(trunk)
      wake(locked { @roster.give_back(trunk) ? serve : [] })
      trunk.close("the client was closed") if @closed
    end

    # A trunk says that nobody is aboard any more.
    def freed = wake(locked { serve })

    # A trunk says that its connection has ended.
    def lost(trunk)
      wake(locked do
        @roster.remove(trunk)
        serve
      end)
    end

    # Closes every trunk. Whoever waits, and whoever comes later, is told.
    def close
      trunks = locked do
        @closed = true
        @roster.all
      end
      trunks.each { |trunk| trunk.close("the client was closed") }
      wake(locked { @line.call_all })
    end

    # @return [Hash] how many trunks are shared, pinned, spare and being opened
    def counts = @roster.counts

    private

    def begin_anew
      @generation = Trunkline.process_generation
      @lock = Lock.new
      @line = WaitingLine.new
      @roster = Roster.new(**@limits)
      @resume_at = nil
      @current = 0
      look_again
    end

    # The trunk that should take the next request; an idle one when more may be opened.
    #
    # @return [Trunk, nil] nil: no open trunk will do
    def choose(world)
      at = Crew.choose(@crews, world, @current) or return
      @current = at
      trunk = @trunks[at]
      trunk unless @growing && !trunk.codec.idle? && may_open_to_share?
    end

    def find_for(request)
      place = WaitingLine::Place.new(request, alone: false)
      Waiting.undisturbed(request.world) do
        until request.overdue?
          trunk = obtain(place) || choose(request.world)
          return trunk if trunk && yield(trunk)
        end
        request.give_up(Expiry.new(sent: false))
        nil
      end
    end

    # A trunk that the caller opened, or that waited for an owner. Nil: it is time to look again.
    def obtain(place)
      what, trunk = locked { decide(place) }
      case what
      when :open then open_trunk(place)
      when :wait then wait_in_line(place)
      else trunk
      end
    end

    def decide(place)
      look_after_fork
      raise Closed, "the client is closed" if @closed
      raise place.failure.exception(place.failure.message) if place.failure
      return line_up(place) if crowded? && !place.called?
      return [:take, @roster.take] if place.alone? && @roster.any_to_take?
      return [:take, @roster.share_spare] if !place.alone? && @roster.spare_to_share?
      return open_for(place) if may_open?(place)
      return if !place.alone? && @roster.trunks.any? { |trunk| trunk.admits?(place.world) }

      line_up(place)
    end

    def look_after_fork
      return if @generation == Trunkline.process_generation

      inherited = @roster.all
      begin_anew
      inherited.each(&:disown)
    end

    def may_open?(place)
      return @roster.room? && !paused? if place.alone? || place.blocks_its_world?

      may_open_to_share?
    end

    def may_open_to_share? = @roster.room_to_share? && !paused?

    def paused? = @resume_at && Waiting.now < @resume_at && !@roster.nothing_open?

    def open_for(place)
      @roster.opening(alone: place.alone?)
      :open
    end

    def open_trunk(place)
      trunk = Deadlines.hold(place.request.deadline) { @open.call(self) }
      wake(locked do
        @roster.opened(trunk, alone: place.alone?)
        serve
      end)
      trunk.close("the client was closed") if @closed
      trunk
    rescue Error => error
      error = nil if place.request.overdue?
      raise if error && (place.alone? || @roster.trunks.empty?)
    ensure
      not_opened(place, error) unless trunk
    end

    # Others who wait for a first connection would only find the same; who has trunks goes on with these for a while.
    def not_opened(place, error)
      wake(locked do
        @roster.not_opened(alone: place.alone?)
        @resume_at = Waiting.now + PAUSE if error
        error && @roster.nothing_open? ? @line.call_all(error) : serve
      end)
    end

    def line_up(place)
      if place.blocks_its_world? && !place.alone?
        raise Overloaded, "this fiber blocks its event loop, whose other fibers use all #{@limits[:connections]} connections"
      end
      @line.join(place)
      :wait
    end

    # The first in line looks again when a pause is over: nobody else will.
    def wait_in_line(place)
      called = locked do
        place.looks_again_at = (@resume_at if paused? && @line.first.equal?(place))
        serve
      end
      wake(called - [place])
      called.include?(place) ? place.request.resume : Waiting.park(place.request, place.wakes_at)
      place.called
      nil
    ensure
      step_out(place)
    end

    # Who goes in spite of having been called passes the call on.
    def step_out(place)
      wake(locked { @line.leave(place) || place.called? ? serve : [] })
    end

    # Calls whoever can go on now. Held: the lock.
    #
    # @return [Array<WaitingLine::Place>] who is owed a wake-up
    def serve
      place = @line.first
      place && servable?(place) ? @line.call_first : []
    end

    def servable?(place)
      return true if @closed || may_open?(place) || (paused? && place.looks_again_at != @resume_at)
      return @roster.any_to_take? if place.alone?

      @roster.spare_to_share? || @roster.trunks.any? { |trunk| trunk.admits?(place.world) }
    end

    def wake(places) = places.each { |place| place.request.wake }

    # What the way without a lock looks at.
    def look_again
      @crowded = !@line.empty?
      @growing = @roster.room_to_share?
      @trunks = @roster.trunks
      @crews = @roster.crews
    end

    # Every change of the line and the roster.
    def locked
      @lock.synchronize do
        yield
      ensure
        look_again
      end
    end
  end
  private_constant :Pool
end
