# frozen_string_literal: true

require_relative "back_off"
require_relative "../deadlines"
require_relative "../scheduler_hooks"

module Trunkline
  # Opens a pool's trunks: whether another may be opened, the attempts under way, and the pause after one that has failed. A caller that may
  # opens one and goes on with it. From the loss of a connection on there is one attempt at a time, until one succeeds: thousands of processes
  # that have lost the same server come back with one connection each before any has two. During the pause, callers that have open trunks go on with these, and one that has none waits for its end,
  # and for one attempt that then stands for all, unless it takes long itself. Where the server takes no more connections, there are as many as
  # it takes until the pause is over. The pool's lock is held around each call but {#open}.
  class Opener # :nodoc:
    # Seconds for which a server may still count a connection that has ended: its process ends some milliseconds after the socket, more than
    # a second after it on a busy machine, where it has temporary tables to remove.
    STILL_COUNTED = 5.0
    # Seconds after which an attempt by a fiber counts no more. Its event loop may have dropped it in a thread that asks nothing more, and no other
    # thread can find that out. Connecting over a slow network takes one tenth of it; if the fiber goes on after all, its connection counts again, or is
    # closed where there is no room for it.
    LONGEST_ATTEMPT = 30.0
    # Why a connection is closed that others have taken the place of meanwhile, or whose server is not wanted any more.
    TOO_LATE = "it was not wanted any more when it was open"
    private_constant :STILL_COUNTED, :LONGEST_ATTEMPT

    # Of a caller that opens a trunk: since when, and which trunks are not wanted any more since then.
    Attempt = Struct.new(:since, :unwanted)
    private_constant :Attempt

    # What a server has said at a connection's end, as the codec has it, and for how many seconds nothing had been in flight.
    Ending = Struct.new(:farewell, :idle)

    # @return [Ending, nil] of the last connection at whose end the server has said something
    attr_reader :ending

    # @param roster [Roster] of the trunks there are
    # @param ledger [Ledger] counts them
    # @param limits [Limits]
    # @param server [String, nil] label for errors
    # @param connect [#call] gets the pool, and opens a connection
    # @param moved [#call, nil] tells during a pause whether another server may be tried at once; nil: the pause is kept
    def initialize(roster, ledger, limits, server, connect, moved = nil)
      @roster = roster
      @ledger = ledger
      @limits = limits
      @server = server
      @connect = connect
      @moved = moved
      @quota = roster.quota
      @back_off = BackOff.new(looks: !moved.nil?)
      @attempts = {}.compare_by_identity # entries of the callers that open a trunk => Attempt
      @ended_at = -Float::INFINITY # when the last connection ended
      @ending = nil
      @refused = false # the server took no more connections
    end

    # @return [Boolean] whether a trunk may be opened for the caller, whatever load there is
    def may_open?(entry)
      return @roster.room_alone? && !hold_back? if entry.alone?
      return @roster.room? && !((@quota || failing?) && hold_back?) if entry.blocks_its_scheduler?

      may_open_to_share?
    end

    # @return [Boolean] whether one more trunk than usual should be shared, for a caller whose request no open trunk should take
    def may_grow?(entry)
      !hold_back? && @roster.room_to_grow? && @roster.dispatcher.wants_another?(entry.request, @roster.opening_to_share)
    end

    # @return [Boolean] whether one more trunk may be opened that callers share: the first one, or one that is not needed yet
    def may_open_to_share? = (@roster.room_to_share? || (may_look_again? && @quota.due?)) && !hold_back? && (@roster.trunks.empty? || @back_off.further?)

    # @return [Boolean] whether one more may be opened to be shared, when it is time to find out the share again
    def may_look_again? = !@quota.nil? && @roster.fewer_shared?

    # Did the last attempt fail?
    def failing? = @back_off.failing?

    # @return [Float, nil] when there is something to do in the pause after a failure, or after it, on the clock of Waiting.now; nil: there is none now
    def due_at = @back_off.due_at

    # The server may take more connections again than it did, when the pause is over.
    def look_at_pause
      @roster.allow(@quota.limit) if @quota
      return if !@refused || @back_off.paused?

      @refused = false
      @roster.expect_more
    end

    # The caller is to {#open} one.
    def begin_attempt(entry)
      @back_off.begin_attempt
      @roster.opening(alone: entry.alone?)
      @attempts[entry] = Attempt.new(Waiting.now, [])
    end

    # Those that the block chooses are not wanted any more, among the trunks that are being opened, too.
    #
    # @return [Array<Trunk>] that are to end when they are through
    def retire_where(&chosen)
      @attempts.each_value { |attempt| attempt.unwanted.push(chosen) }
      @roster.retire_where(&chosen)
    end

    # Opens a trunk, in the time that the caller has; during a pause only if another server may be found. No lock is held. Until there is a better measure, a round trip is known to take no
    # longer than all that connecting took.
    #
    # @return [Trunk, nil] within the limits; nil: there is a pause, and no reason yet to end it
    # @raise [Error]
    def open(entry, pool)
      SchedulerHooks::OF_PROCESS.check(entry.request.scheduler)
      return if @moved && @back_off.paused? && !moved?(entry)

      start = Waiting.now
      trunk = Deadlines.hold(entry.request.deadline) { @connect.call(pool) }
      # It may have been asked something, and the connection was lost then: shared all the same, it would be chosen again and again.
      raise ConnectionError.new(trunk.loss.reason, server: @server) if trunk.loss

      trunk.state.bound(@limits.max_in_flight, @limits.max_bytes_in_flight, @limits.expiry)
      trunk.state.round_trip = Waiting.now - start
      trunk
    end

    # @return [Trunk, nil] the same; nil: it is not wanted any more, or its attempt counted as dropped, which it was not, and there is no room for it
    def opened(entry, trunk)
      attempt = @attempts.delete(entry)
      return @roster.not_opened(alone: entry.alone?) && nil if attempt&.unwanted&.any? { |chosen| chosen.call(trunk) }

      unless attempt
        return unless @roster.room?

        @roster.opening(alone: entry.alone?)
      end
      @roster.opened(trunk, alone: entry.alone?)
      @ledger.opened(trunk)
      @back_off.succeeded
      @quota&.learn(trunk.share, @roster.size)
      trunk
    end

    # @param error [Error, nil] why there is none; nil: the caller was interrupted, or its deadline has passed
    # @return [Float, nil] when the attempt began, where others that waited then would only find the same; nil: callers go on with trunks there are, or wait
    def not_opened(entry, error)
      begun = forget(entry)
      return unless error

      note_failure(error)
      begun if @roster.nothing_open? && !(error.server_full? && still_counted?)
    end

    # @return [Boolean] whether there is a trunk that the caller can go on with, or wait for, instead. Where the server takes no more connections, any
    # of this pool will do, also one that is being opened.
    def goes_on?(entry, error)
      return true if entry.outlasts?(error, patience(error))
      return @roster.size > 1 || still_counted? if error.server_full?
      return @roster.trunks.any? unless entry.alone?

      error.is_a?(ServerError) && @roster.pinned.any?
    end

    # @param error [Exception] with which an attempt has failed
    # @return [Float] seconds for which a caller without a trunk goes on waiting
    def patience(error) = @quota && error.is_a?(Error) && error.server_full? ? [@limits.failover_wait, Quota::PATIENCE].max : @limits.failover_wait

    # The connection of a trunk has ended.
    def ended(trunk)
      @ended_at = Waiting.now
      @back_off.lost if trunk.loss && !trunk.loss.closed
      @ending = Ending.new(trunk.codec.farewell, @ended_at - trunk.state.idle_since) if trunk.loss && trunk.codec.farewell
    end

    # @return [Boolean] whether callers that were to open a trunk have gone
    def any_gone? = @attempts.dup.any? { |entry, attempt| gone?(entry, attempt.since) } # of a copy: no lock is held

    # The threads or event loops of these have ended: they will open none.
    def forget_gone = @attempts.dup.each { |entry, attempt| forget(entry) if gone?(entry, attempt.since) }

    private

    # A look ends with the pause: then an attempt is due.
    def moved?(entry) = Deadlines.hold([entry.request.deadline, *@back_off.pause_end].compact.min, &@moved)

    def gone?(entry, since) = entry.gone? || (!entry.scheduler.nil? && Waiting.now - since > LONGEST_ATTEMPT)

    def forget(entry) = @attempts.delete(entry)&.since&.tap { @roster.not_opened(alone: entry.alone?) }

    # One by one, where there are others: each finds out what is left.
    def hold_back?
      return true if @quota && @roster.opening? && !@back_off.lagging?

      @back_off.doubtful? && (@back_off.quiet? || (@roster.opening? && !@back_off.lagging?))
    end

    def still_counted? = Waiting.now - @ended_at < STILL_COUNTED

    def note_failure(error)
      @back_off.failed(full: error.server_full?, retry_after: (error.retry_after if error.is_a?(ConnectionError)))
      @ledger.failed
      return unless error.server_full?

      return @quota.halve(@roster.size, @back_off.pause_end) if @quota

      @refused = true
      @roster.refuse_more
    end
  end
  private_constant :Opener
end
