# frozen_string_literal: true

require_relative "deadlines"
require_relative "given_up"
require_relative "limits"
require_relative "lock"
require_relative "opening"
require_relative "queueing"
require_relative "roster"
require_relative "stats"
require_relative "trunk"

module Trunkline
  # Finds a trunk for each request, and opens trunks. Requests that share go to the open trunk with the shortest expected
  # backlog; sessions get one of their own. A caller that finds the budget not used up opens the next connection and goes on with it;
  # one that finds nothing waits in line until a trunk is opened, freed or lost.
  #
  # The way of a request over an open trunk takes no lock.
  class Pool # :nodoc:
    include Opening
    include Queueing
    include Stats

    # @param connections [Integer] the most that are shared
    # @param most [Integer] the most in all
    # @param limits [Limits]
    # @param server [String, nil] label for errors
    # @yield [pool] opens a connection
    # @yieldreturn [Trunk]
    def initialize(connections:, most:, limits: Limits.new, server: nil, &open)
      @budget = { connections: connections, most: most, max_idle: limits.max_idle.to_f }
      @limits = limits
      @server = server
      @open = open
      @closed = false
      @crowded = Flag.new
      begin_anew
    end

    # What a server has said at a connection's end, as the codec has it, and for how many seconds nothing had been in flight.
    Ending = Struct.new(:farewell, :idle)

    # @return [Flag] on while callers wait for a trunk
    attr_reader :crowded

    # @return [Ending, nil] of the last connection at whose end the server has said something
    attr_reader :ending

    # @return [Float] seconds after which an idle connection is replaced, as its server would end it
    def idle_limit = @roster.idle_limit

    def idle_limit=(seconds)
      locked { @roster.idle_limit = seconds }
    end

    # Sends the request over a shared trunk and waits for its answer.
    #
    # @return [Trunk, nil] the one that carried it; nil: its deadline has passed before one could
    def perform(request)
      trunk = choose(request) unless @queued
      return trunk if trunk && trunk.perform(request)

      find_for(request) { |found| found.perform(request) }
    end

    # Sends the request over a shared trunk.
    #
    # @return [Trunk, nil] the one that carries it; nil: its deadline has passed before one could
    def dispatch(request)
      request.eager!
      trunk = choose(request) unless @queued
      return trunk if trunk && trunk.dispatch(request)

      find_for(request) { |found| found.dispatch(request) }
    end

    # Finds a shared trunk for the request, and has the block send the request over it.
    #
    # @yieldparam trunk [Trunk]
    # @yieldreturn [Boolean] false: the trunk could not take the request, which is as it was
    # @return [Trunk, nil] the one that carried it; nil: its deadline has passed before one could
    def carry(request, &send)
      trunk = choose(request) unless @queued
      return trunk if trunk && yield(trunk)

      find_for(request, &send)
    end

    # Waits for a trunk of the caller's own, which gives it back by check_in.
    #
    # @param request [Request] what the caller waits with
    # @yieldreturn [String] why there may be none, told to a caller that waits in vain
    # @return [Trunk]
    def check_out(request, &explanation)
      place = WaitingLine::Place.new(request, alone: true, &explanation)
      trunk = nil
      Waiting.undisturbed(request.scheduler) do
        until trunk && settled?(trunk, request) && trunk.alive?
          raise Deadline, "the deadline has passed before a connection was free: nothing has happened" if request.overdue?

          trunk = obtain(place)
        end
        trunk
      ensure
        seek_no_more(place)
      end
    end

    # Takes a trunk back, in a state that suits every caller.
    def check_in(trunk)
      trunk.user = nil
      return trunk.close("it has lived for long enough") if trunk.state.expired?

      call_up { @roster.give_back(trunk, wanted: @seekers.size) ? board_single(trunk).concat(serve) : [] }
      trunk.close("the client was closed") if @closed
    end

    # A trunk says that no caller is active any more, or that it has room again.
    def freed = call_up { serve }

    # A trunk says that its connection has ended.
    def lost(trunk)
      call_up do
        @roster.remove(trunk)
        @ended_at = Waiting.now
        note_loss(trunk) if trunk.loss
        serve
      end
    end

    # Closes the trunks that are not in use, and the others when they are through. Callers that come later open new ones.
    def renew
      locked do
        look_after_fork
        @roster.all.each { |trunk| trunk.state.bound(@limits.max_in_flight, @limits.max_bytes_in_flight, Waiting.now) }
      end
      Waiting.undisturbed do
        while (unused = locked { @roster.retire })
          unused.retire("the client was disconnected")
        end
      end
    end

    # Closes every trunk, the quarantined ones included. Callers that wait, and those that come later,
    # are told. It takes no time, and is not done by halves.
    def close
      Thread.handle_interrupt(Waiting::NEVER) do
        trunks = locked do
          @closed = true
          @ledger.trunks.dup
        end
        trunks.each { |trunk| trunk.close("the client was closed") }
        call_up { @lines.flat_map(&:call_all) }
      end
    end

    def closed? = @closed

    # @return [Hash] how many trunks are shared, pinned, spare and being opened
    def counts = @roster.counts

    private

    def begin_anew
      @generation = Trunkline.process_generation
      @lock = Lock.new
      begin_lines
      @roster = Roster.new(**@budget)
      @ledger = Ledger.new
      @waits = Histogram.new
      @back_off = BackOff.new
      @ended_at = -Float::INFINITY
      @ending = nil
      look_again
    end

    # The trunk that should take the request; an idle one when another may be opened, and no caller does so yet.
    #
    # @return [Trunk, nil] nil: no open trunk will do
    def choose(request)
      trunk = @dispatcher.choose(request) or return
      trunk unless @growing && !trunk.codec.idle? && may_open_to_share?
    end

    def find_for(request)
      place = WaitingLine::Place.new(request, alone: false)
      Waiting.undisturbed(request.scheduler) do
        until request.overdue?
          trunk = obtain(place) || choose(request)
          return trunk if trunk && yield(trunk)

          place.step_off
        end
        request.give_up(GivenUp.new(:deadline, false))
        nil
      ensure
        place.step_off
      end
    end

    # A trunk that the caller opened, or that waited for an owner. Nil: it is time to look again.
    def obtain(place)
      catch_up
      what, trunk = locked { decide(place) }
      case what
      when :open then open_trunk(place)
      when :wait then wait_in_line(place, trunk)
      when :make_room then make_room(trunk, place.request)
      when :retire then trunk.retire(trunk.state.expired? ? "it has lived for long enough" : "it was not used for long enough")
      else trunk
      end
    end

    def decide(place)
      look_after_fork
      raise Closed, "the client is closed" if @closed
      raise place.failure.exception(place.failure.message) if place.failure

      old = @roster.retire
      return [:retire, old] if old
      return line_up(place) if must_line_up?(place)

      place.alone? ? decide_alone(place) : decide_to_share(place)
    end

    def decide_alone(place)
      return [:take, @roster.take] if @roster.any_to_take?

      may_open?(place) ? open_for(place) : line_up(place)
    end

    def decide_to_share(place)
      return line_up(place) if waits_for_drained?(place)
      return [:take, @roster.share_spare] if @roster.spare_to_share?
      return open_for(place) if may_open?(place)

      trunk = @dispatcher.find(place.request)
      return [:take, trunk] if trunk
      return grow_for(place) if may_grow?(place)

      unread = @dispatcher.unread_for(place.request)
      unread ? [:make_room, unread] : line_up(place)
    end

    # What the server works on there may take so long that another trunk is worth it, or the answers on another one.
    def make_room(trunk, request)
      request.patience = Waiting.now + LOOK_AGAIN
      trunk.make_room(request) { @dispatcher.accepts?(trunk.state, request) }
    ensure
      request.patience = nil
    end

    def look_after_fork
      return if @generation == Trunkline.process_generation

      inherited = @roster.all
      begin_anew
      inherited.each(&:disown)
    end

    # A trunk that was shared may still owe answers, to callers that have gone.
    def settled?(trunk, request)
      settled = trunk.codec.idle? || trunk.settle(request)
    ensure
      check_in(trunk) unless settled
    end

    # What the way without a lock looks at.
    def look_again
      @queued = !@sharing.empty?
      @crowded.on = @queued || !@sharing_long.empty? || !@alone.empty?
      @growing = @roster.room_to_share? && @roster.opening_to_share.zero?
      @dispatcher = @roster.dispatcher
      # With what is being opened: the only one that is open yet will not be the only one.
      @dispatcher.may_grow = @roster.room_to_grow? || @roster.opening_to_share.positive?
    end

    def note_loss(trunk)
      @ledger.ended(trunk)
      @ending = Ending.new(trunk.codec.farewell, @ended_at - trunk.state.idle_since) if trunk.codec.farewell
    end

    # Every change of the line and the roster.
    def locked
      @lock.synchronize do
        @roster.expect_more unless @back_off.paused?
        yield
      ensure
        look_again
      end
    end
  end
  private_constant :Pool
end
