# frozen_string_literal: true

require_relative "back_off"
require_relative "../deadlines"
require_relative "../scheduler_hooks"

module Trunkline
  # Opens a pool's trunks: decides whether another may be opened, and keeps the attempts under way and the pause after a failure. The caller that may
  # open one does so and then uses it. After a loss, only one attempt runs at a time until one succeeds: thousands of processes that have lost the
  # same server each get one connection before any gets two. During the pause, callers use the trunks that are open. If there are none, they wait for
  # the end of the pause and then for a single attempt, whose result applies to all of them, unless it takes too long. If the server takes no more
  # connections, the number of those open is the limit until the pause is over. The pool's lock is held around each call but {#open}.
  class Opener # :nodoc:
    # Seconds for which a server may still count a connection that has ended: its process ends some milliseconds after the socket, and more than a
    # second later on a busy machine if it has temporary tables to remove. Of eight sessions with 1,000 such tables, at a load of 11, half were counted
    # for 3.2 s, and the longest for 4.5; of 20 with 100 the longest for 0.6, and without any for 13 ms.
    STILL_COUNTED = 5.0
    # Seconds after which an attempt by a fiber no longer counts. Its event loop may have been dropped by a thread that makes no more calls, which no
    # other thread can detect. It is three times connect_timeout's default, and hosts are tried side by side. If the fiber resumes after all, its
    # connection counts again, or is closed if there is no room for it.
    LONGEST_ATTEMPT = 30.0
    # The reason given when a connection is closed because others have replaced it meanwhile, or its server is no longer wanted.
    TOO_LATE = "it was not needed any more when it was open"
    private_constant :STILL_COUNTED, :LONGEST_ATTEMPT

    # An attempt to open a trunk: when it began, and predicates that select trunks which are no longer wanted since then.
    Attempt = Struct.new(:since, :unwanted)
    private_constant :Attempt

    # The last message of the server at a connection's end, as reported by the codec, and for how many seconds nothing had been in flight.
    Ending = Struct.new(:error, :idle)

    # @return [Ending, nil] of the last connection that the server ended with a message
    attr_reader :ending

    # @param roster [Roster] the pool's trunks
    # @param ledger [Ledger] counts them
    # @param limits [Limits]
    # @param server [String, nil] label for errors
    # @param connect [#call] takes the pool, and opens a connection
    # @param address_changed [#call, nil] returns during a pause whether the host's name resolves to another address now, which is tried at once; nil:
    #   no pause is shortened
    def initialize(roster, ledger, limits, server, connect, address_changed = nil)
      @roster = roster
      @ledger = ledger
      @limits = limits
      @server = server
      @connect = connect
      @address_changed = address_changed
      @quota = roster.quota
      @back_off = BackOff.new(probes: !address_changed.nil?)
      @attempts = {}.compare_by_identity # entries of the callers that open a trunk => Attempt
      @ended_at = -Float::INFINITY # when the last connection ended
      @ending = nil
      @refused = false # the server took no more connections
    end

    # @return [Boolean] whether a trunk may be opened for the caller, whatever the load
    def may_open?(entry)
      return @roster.room_to_pin? && !must_hold_back? if entry.to_pin?
      return @roster.room? && !((@quota || failing?) && must_hold_back?) if entry.blocks_its_scheduler?

      may_open_to_share?
    end

    # @return [Boolean] whether one more trunk than `connections` should be shared, for a caller whose request no open trunk should take
    def may_grow?(entry)
      !must_hold_back? && @roster.room_to_grow? && @roster.dispatcher.should_open_another?(entry.request, @roster.opening_to_share)
    end

    # @return [Boolean] whether one more shared trunk may be opened: the first one, or one that is not needed yet
    def may_open_to_share? = (@roster.room_to_share? || (may_recount? && @quota.due?)) && !must_hold_back? && (@roster.trunks.empty? || @back_off.may_open_further?)

    # @return [Boolean] whether one more shared trunk may be opened once the share is due to be counted again
    def may_recount? = !@quota.nil? && @roster.fewer_shared?

    # @return [Boolean] whether the last attempt failed
    def failing? = @back_off.failing?

    # @return [Float, nil] when the next check or attempt is due in the pause after a failure, on the clock of Waiting.now; nil: there is no pause
    def due_at = @back_off.due_at

    # When the pause is over, the server may take more connections again.
    def update_pause
      @roster.allow(@quota.limit) if @quota
      return if !@refused || @back_off.paused?

      @refused = false
      @roster.expect_more
    end

    # The caller will {#open} one.
    def begin_attempt(entry)
      @back_off.begin_attempt
      @roster.opening(to_pin: entry.to_pin?)
      @attempts[entry] = Attempt.new(Waiting.now, [])
    end

    # Marks those that the block selects as unwanted, including trunks that are being opened.
    #
    # @return [Array<Trunk>] to be closed when they are answered
    def retire_where(&chosen)
      @attempts.each_value { |attempt| attempt.unwanted.push(chosen) }
      @roster.retire_where(&chosen)
    end

    # Opens a trunk within the caller's deadline; during a pause only if another server can be tried. No lock is held. The duration of connecting is
    # the first estimate of the round trip, as an upper bound.
    #
    # @return [Trunk, nil] with its limits set; nil: the pause lasts
    # @raise [Error]
    def open(entry, pool)
      SchedulerHooks::OF_PROCESS.check(entry.request.scheduler)
      return if @address_changed && @back_off.paused? && !address_changed?(entry)

      start = Waiting.now
      trunk = Deadlines.hold(entry.request.deadline) { @connect.call(pool) }
      # The session was set up over it and it was lost then: if it were shared all the same, it would be chosen again and again.
      raise ConnectionError.new(trunk.loss.reason, server: @server) if trunk.loss

      trunk.state.set_in_flight_limits(@limits.max_in_flight, @limits.max_bytes_in_flight, @limits.expiry)
      trunk.state.round_trip = Waiting.now - start
      trunk
    end

    # @return [Trunk, nil] the same; nil: it is unwanted, or its attempt no longer counted and there is no room for it
    def opened(entry, trunk)
      attempt = @attempts.delete(entry)
      return @roster.not_opened(to_pin: entry.to_pin?) && nil if attempt&.unwanted&.any? { |chosen| chosen.call(trunk) }

      unless attempt
        return unless @roster.room?

        @roster.opening(to_pin: entry.to_pin?)
      end
      @roster.opened(trunk, to_pin: entry.to_pin?)
      @ledger.opened(trunk)
      @back_off.succeeded
      @roster.dispatcher.growth_pause_end = nil
      @quota&.learn(trunk.share, @roster.size)
      trunk
    end

    # @param error [Error, nil] why there is none; nil: the caller was interrupted, or its deadline has passed
    # @return [Float, nil] when the attempt began, if callers that have waited since then would fail the same way; nil: callers use open trunks, or
    #   wait
    def not_opened(entry, error)
      begun = forget(entry)
      return unless error

      note_failure(error)
      begun if @roster.nothing_open? && !(error.server_full? && still_counted?)
    end

    # @return [Boolean] whether the caller can use another trunk, or wait for one, instead of raising. If the server takes no more connections, any
    #   trunk of this pool will do, including one that is being opened.
    def continues_after?(entry, error)
      return true if entry.continues_after?(error, wait_limit_after(error))
      return @roster.size > 1 || still_counted? if error.server_full?
      return @roster.trunks.any? unless entry.to_pin?

      error.is_a?(ServerError) && @roster.pinned.any?
    end

    # @param error [Exception] of the failed attempt
    # @return [Float] seconds for which a caller without a trunk keeps waiting
    def wait_limit_after(error) = @quota && error.is_a?(Error) && error.server_full? ? [@limits.failover_wait, Quota::FULL_SERVER_WAIT].max : @limits.failover_wait

    # The connection of a trunk has ended.
    def ended(trunk)
      @ended_at = Waiting.now
      @back_off.lost if trunk.loss && !trunk.loss.closed
      @ending = Ending.new(trunk.codec.closing_error, @ended_at - trunk.state.idle_since) if trunk.loss && trunk.codec.closing_error
    end

    # @return [Boolean] whether callers that were opening a trunk have gone
    def any_gone? = @attempts.dup.any? { |entry, attempt| gone?(entry, attempt.since) } # iterates over a copy: no lock is held

    # Removes the attempts of callers whose threads or event loops have ended.
    def forget_gone = @attempts.dup.each { |entry, attempt| forget(entry) if gone?(entry, attempt.since) }

    private

    # The check ends with the pause: then an attempt is due.
    def address_changed?(entry) = Deadlines.hold([entry.request.deadline, *@back_off.pause_end].compact.min, &@address_changed)

    def gone?(entry, since) = entry.gone? || (!entry.scheduler.nil? && Waiting.now - since > LONGEST_ATTEMPT)

    def forget(entry) = @attempts.delete(entry)&.since&.tap { @roster.not_opened(to_pin: entry.to_pin?) }

    # Attempts run one at a time when others share the server, as each finds out how many are left.
    def must_hold_back?
      return true if @quota && @roster.opening? && !@back_off.attempt_overdue?

      @back_off.doubtful? && (@back_off.too_early? || (@roster.opening? && !@back_off.attempt_overdue?))
    end

    def still_counted? = Waiting.now - @ended_at < STILL_COUNTED

    def note_failure(error)
      @back_off.failed(full: error.server_full?, retry_after: (error.retry_after if error.is_a?(ConnectionError)))
      @roster.dispatcher.growth_pause_end = @back_off.pause_end
      @ledger.failed
      return unless error.server_full?

      return @quota.halve(@roster.size, @back_off.pause_end) if @quota

      @refused = true
      @roster.refuse_more
    end
  end
  private_constant :Opener
end
