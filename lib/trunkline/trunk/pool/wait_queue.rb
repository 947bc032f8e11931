# frozen_string_literal: true

require_relative "../fiber_owner"
require_relative "unanswered_calls"
require_relative "caller_queue"

module Trunkline
  # The callers that wait for a trunk of a pool, in three FIFO queues, so that none blocks another kind: callers that wait for room on a shared trunk,
  # those with a long request, which need an idle trunk, and those that wait to pin one. A caller with many requests waits once for each. "To call" a
  # caller means to take it out of its queue and to wake it. The pool's lock is held around each call.
  class WaitQueue # :nodoc:
    # Seconds between two checks, by a waiting caller, whether every trunk is blocked by a long request and another may be opened. From one connection, 20
    # queries of 0.1 s took 1.06 s; with half of it 1.05, and with double 1.19 (medians of 3, load 11).
    CHECK_INTERVAL = 0.02
    # Seconds that a long request waits before a trunk is drained for it, as short ones would keep every trunk busy for ever. One that was called and
    # overtaken has waited for long enough. It is a bound: with half and double, four callers of 10 ms beside 18,000 short queries a second on two
    # connections had 46 to 51 ms (median) as well.
    DRAIN_AFTER = 0.1
    # Seconds for which callers that need no wake-up may overtake a long request that waits. Then an idle trunk is kept for it: of 512 fibers over 32
    # connections, the longest wait was 6.2 s without that, and 0.22 s with it. Kept from the first moment, sleeps of 511 of 512 fibers took 75 us of the
    # client's CPU, and 27 with this.
    OVERTAKING_LIMIT = 0.005
    private_constant :DRAIN_AFTER, :OVERTAKING_LIMIT

    # Sets whether the pool is closed: then each caller is called, and raises {Closed}.
    attr_writer :closed

    # @return [Boolean] whether no caller waits, and so none needs to be served. It may stay false for some time after the last has left, until
    #   {#serve} runs.
    attr_reader :idle
    alias idle? idle

    # @param roster [Roster] the pool's trunks
    # @param opener [Opener] opens further ones
    # @param limits [Limits]
    # @param server [String, nil] label for errors
    # @param closed [Boolean]
    def initialize(roster, opener, limits, server, closed)
      @roster = roster
      @dispatcher = roster.dispatcher
      @opener = opener
      @limits = limits
      @server = server
      @closed = closed
      @calls = UnansweredCalls.new
      @queues = [@pinning = CallerQueue.new(@calls), @sharing = CallerQueue.new(@calls), @sharing_long = CallerQueue.new(@calls)]
      # FiberOwners of callers that have waited to pin a trunk, and have none yet, by the object_ids of their entries: an entry would keep its event loop
      # from being collected.
      @seekers = {}
      @waits = Histogram.new
      @watcher = nil # the entry of the caller that checks next
      @watched_until = -Float::INFINITY # when it does so
      @idle = true
    end

    # @return [Symbol, nil] :sharing: callers wait for room; :others: no such caller, but some with long requests, or that pin
    def waiting_kind
      return :sharing unless @sharing.empty?

      :others unless @sharing_long.empty? && @pinning.empty?
    end

    # @return [Hash] how many wait, how many have waited, and for how long
    def stats
      { to_share: @sharing.size + @sharing_long.size, to_pin: @pinning.size, waited: @waits.count, mean: @waits.mean, p99: @waits.quantile(0.99) }
    end

    # @return [Boolean] whether the caller must queue behind those that wait for the same: all but one that cannot wait
    def must_join?(entry) = !@idle && !entry.called? && !queue_of(entry).empty? && !entry.blocks_its_scheduler?

    # A watcher that has overslept, or was dropped, does not count: the next caller that comes, or wakes, checks. Without the lock the result is a
    # hint.
    #
    # @return [Boolean] whether another caller is about to check for room, for this one too
    def watched?(entry) = Waiting.now < @watched_until && !@watcher.equal?(entry) && @watcher&.queued?

    # Puts the caller into its queue, if it must queue and another caller is about to check for room for all.
    #
    # @return [Boolean] false: it must check itself, or its own deadline has passed
    # @raise [Overloaded, Error] as {#join}
    def follow(entry) = watched?(entry) && must_join?(entry) && join(entry)

    # Puts the caller into its queue.
    #
    # @return [Boolean] false: its own deadline has passed
    # @raise [Overloaded] it has waited for max_wait, or cannot wait
    # @raise [Error] it has waited for failover_wait, and no server can be connected to
    def join(entry)
      if entry.blocks_its_scheduler? && !entry.to_pin?
        raise overloaded("this fiber blocks its event loop, whose other fibers use all connections")
      end
      return stop_waiting(entry) if entry.deadline_passed?

      queue = queue_of(entry)
      raise overloaded("#{@limits.max_waiting} callers wait already (max_waiting)#{likely_reason(entry)}") if full?(queue)

      @idle = false
      queue.join(entry, @limits.max_wait)
      @seekers[entry.object_id] ||= FiberOwner.new if queue.equal?(@pinning)
      true
    end

    # The caller waits no longer; it may have been called.
    #
    # @return [Boolean] whether another must be called in its place
    def leave(entry)
      @waits << (Waiting.now - entry.since)
      @calls.answered(entry)
      @watcher = nil if @watcher.equal?(entry) # it would keep its event loop from being collected
      return false if entry.trunk && !entry.queued?

      !queue_of(entry).leave(entry).nil? || (entry.called? && !entry.trunk)
    end

    # The caller has pinned a trunk, or has given up.
    #
    # @return [Boolean] whether {#seeking} had counted it
    def stop_seeking(entry) = !@seekers.delete(entry.object_id).nil?

    # @return [Integer] how many callers wait to pin a trunk
    def seeking = @seekers.size

    # @return [Boolean] whether callers wait to share one
    def sharing? = !(@sharing.empty? && @sharing_long.empty?)

    # @return [Boolean] whether the caller's long request waits for a trunk that is draining, and goes to no other meanwhile
    def waits_for_drained?(entry) = @roster.draining? && entry.long? && !entry.blocks_its_scheduler?

    # Makes the caller the watcher, which checks again soon for all that wait: changes by time alone, or on connections without active callers, call
    # no caller.
    #
    # @param other [Float, nil] when there is something else to do
    # @return [Float] when the watcher must check, on the clock of Waiting.now
    def watch(entry, other)
      @watcher = entry
      @watched_until = [entry.expires_at, Waiting.now + CHECK_INTERVAL, @opener.due_at, @calls.due, other].compact.min
    end

    # Calls the callers that can proceed, unless another caller is about to check.
    #
    # @return [Array<CallerQueue::Entry>, nil] of callers that must be woken; nil: another caller is the watcher
    def serve_for(entry) = (serve unless watched?(entry))

    # Gives a single connection to callers that wait to share it, before it is kept for the next one that pins.
    #
    # @param trunk [Trunk] that was returned
    # @return [Array<CallerQueue::Entry>] of callers that must be woken
    def share_single(trunk)
      return [] if @idle || !@roster.single?

      [@sharing, @sharing_long].flat_map { |queue| queue.empty? ? [] : queue.call_for(trunk, @dispatcher.room_for(queue.first.request, queue.size)) }
    end

    # Calls the callers that can proceed.
    #
    # @return [Array<CallerQueue::Entry>] of callers that must be woken
    def serve
      @idle ||= waiting_kind.nil? && @seekers.empty?
      return [] if @idle && !@roster.draining?

      @sharing.hand_over_to(@sharing_long) while @sharing.first&.became_long?
      free_trunks(now = Waiting.now)
      called = keep_trunks(now)
      @queues.each { |queue| called.concat(call_from(queue)) unless queue.empty? }
      called
    end

    # Calls all.
    #
    # @return [Array<CallerQueue::Entry>] of callers that must be woken
    def call_all = @queues.flat_map(&:call_all)

    # Calls those that stop waiting after a failed attempt to connect. Also wakes the first caller of each queue, which makes the next attempt: when
    # it went to sleep, the time of that was not known.
    #
    # @param failure [Exception]
    # @param begun [Float, nil] when the attempt began, on the clock of Waiting.now; nil: callers use open trunks, or wait
    # @return [Array<CallerQueue::Entry>] of callers that must be woken
    def call_failed(failure, begun)
      failed = begun ? @queues.flat_map { |queue| queue.call_failed(failure, begun, @opener.wait_limit_after(failure)) } : []
      failed.concat(serve, @queues.filter_map(&:mark_first_woken))
    end

    # @return [Boolean] whether dropped callers are at the front of a queue, were called, or wait to pin a trunk. The lock need not be held: this
    #   reads copies.
    def any_gone? = @calls.any_overdue? || @queues.any? { |queue| queue.first&.gone? } || @seekers.values.any?(&:dropped?)

    # Removes callers whose threads or event loops have ended, and called fibers that their event loop has not resumed in time.
    def forget_gone
      overdue = @calls.overdue
      gone = ->(entry) { entry.gone? || overdue.any? { |scheduler| scheduler.equal?(entry.scheduler) } }
      (@queues.flat_map { |queue| queue.take_out(&gone) } + @calls.take_out(&gone)).each { |entry| stop_seeking(entry.forget) }
      @seekers.reject! { |_, owner| owner.dropped? }
      @watcher = nil unless @watcher&.queued? # it may have been dropped, and refers to its event loop
    end

    private

    def queue_of(entry)
      return @pinning if entry.to_pin?

      entry.long? ? @sharing_long : @sharing
    end

    # @return [false] the request's own deadline has passed
    # @raise [Overloaded] max_wait has passed first
    def stop_waiting(entry)
      return false if entry.request.deadline_passed?
      raise entry.last_failure.exception(entry.last_failure.message) if entry.last_failure && @opener.failing?

      raise overloaded("no connection had room within #{format("%g", @limits.max_wait)} s (max_wait)#{likely_reason(entry)}")
    end

    def full?(queue) = queue.size >= @limits.max_waiting

    # @return [String] for the error of a caller that waits in vain; empty if connections are shared and just busy
    def likely_reason(entry)
      return "#{entry.explanation}; #{@roster.limit}" if entry.to_pin? && !entry.explanation.empty?

      @roster.pinned.any? && @roster.trunks.empty? ? ": sessions, transactions or subscriptions hold all connections; #{@roster.limit}" : entry.explanation
    end

    def overloaded(reason) = Overloaded.new(reason, server: @server)

    # Drains a trunk for callers that others would overtake for ever.
    def free_trunks(now)
      long = @sharing_long.first
      @roster.drain(!@seekers.empty?, !long.nil? && waited?(long, DRAIN_AFTER, now))
      @roster.share_drained if long && @roster.draining? && @seekers.empty?
    end

    # Calls callers with long requests that others have overtaken for too long, each with an idle trunk that is kept for it.
    def keep_trunks(now)
      called = []
      while (entry = @sharing_long.first) && waited?(entry, OVERTAKING_LIMIT, now) && !waits_for_drained?(entry) && (trunk = @dispatcher.keep_for(entry.request))
        called.push(*@sharing_long.call_to(trunk))
      end
      called
    end

    # @return [Boolean] whether the caller has waited for so many seconds, or was overtaken after it had been called
    def waited?(entry, seconds, now) = now - entry.since > seconds || entry.called?

    # Calls as many callers as can proceed: more would find no room.
    def call_from(queue)
      entry = queue.first
      return [] if waits_for_drained?(entry)

      room = queue.equal?(@pinning) ? 0 : @dispatcher.room_for(entry.request, queue.size)
      room = 1 if room.zero? && (@closed || may_go?(entry, queue))
      room.positive? ? queue.call_first(room) : []
    end

    # @return [Boolean] whether the caller can proceed although there is no room: it pins or opens a trunk, or makes room by reading
    def may_go?(entry, queue)
      return @opener.may_open?(entry) || @roster.any_to_take? if queue.equal?(@pinning)
      return true if @roster.may_share_another? && (@opener.may_open?(entry) || @roster.spare_to_share? || @opener.may_grow?(entry))

      !@dispatcher.unread_for(entry.request).nil?
    end
  end
  private_constant :WaitQueue
end
