# frozen_string_literal: true

require_relative "unanswered_calls"
require_relative "waiting_line"

module Trunkline
  # The callers that wait for a trunk of a pool: for room on one, in the order in which they come, so that a caller that asks for much stands in
  # line once for each; for an idle trunk with what takes long; and for a trunk of their own. There is a line for each of these, so that none
  # stands in the others' way. The pool's lock is held around each call.
  class WaitQueue # :nodoc:
    # Seconds after which a caller that waits for room looks whether the server is held up on every trunk, and there is room for another.
    LOOK_AGAIN = 0.02
    # Seconds after which what takes long is given a trunk that callers that share would keep busy for ever. One that has been called and
    # was outrun has waited for long enough.
    LONG_ENOUGH = 0.1
    # Seconds for which callers that need no waking may pass by one that waits with what takes long. Then a trunk is kept for that one.
    PATIENCE = 0.005
    private_constant :LONG_ENOUGH, :PATIENCE

    # @return [Boolean] whether the pool is closed; then each caller is called, and told so
    attr_writer :closed

    # @return [Boolean] whether no caller waits, and so none is to be served. It may be false for longer than callers wait: {#serve} finds out.
    attr_reader :quiet
    alias quiet? quiet

    # @param roster [Roster] of the trunks there are
    # @param opener [Opener] of further ones
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
      @lines = [@alone = WaitingLine.new(@calls), @sharing = WaitingLine.new(@calls), @sharing_long = WaitingLine.new(@calls)]
      @seekers = {}.compare_by_identity # entries of the callers that have stood in line for a trunk of their own, and have none yet
      @waits = Histogram.new
      @watcher = nil # the entry of the caller that looks again next
      @watched_until = -Float::INFINITY # when it does
      @quiet = true
    end

    # @return [Symbol, nil] :sharing: callers wait for room; :others: none of these, but some with long requests, or for a trunk of their own
    def crowd
      return :sharing unless @sharing.empty?

      :others unless @sharing_long.empty? && @alone.empty?
    end

    # @return [Hash] how many wait, how many have waited, and how long
    def stats
      { length: @sharing.size + @sharing_long.size, alone: @alone.size, waited: @waits.count, mean: @waits.mean, p99: @waits.quantile(0.99) }
    end

    # @return [Boolean] whether the caller must stand in line behind those that wait for the same: all must but one that cannot wait
    def must_join?(entry) = !@quiet && !entry.called? && !line_of(entry).empty? && !entry.blocks_its_scheduler?

    # A caller that has overslept, or was dropped where it slept, counts no more: the next one that comes, or wakes, looks. Without the lock the answer is a hint.
    #
    # @return [Boolean] whether another caller is about to look for room, for this one as well
    def watched?(entry) = Waiting.now < @watched_until && !@watcher.equal?(entry) && @watcher.lined_up?

    # Puts the caller in line, where it must stand there and need not look for room, as another caller is about to do so for all.
    #
    # @return [Boolean] false: it must look itself, or its own deadline has passed
    # @raise [Overloaded, Error] as {#join}
    def follow(entry) = watched?(entry) && must_join?(entry) && join(entry)

    # Puts the caller in line.
    #
    # @return [Boolean] false: its own deadline has passed
    # @raise [Overloaded] it has waited for long enough, or cannot wait
    # @raise [Error] it has waited for long enough for a server that can be connected to
    def join(entry)
      if entry.blocks_its_scheduler? && !entry.alone?
        raise overloaded("this fiber blocks its event loop, whose other fibers use all connections")
      end
      return waited_in_vain(entry) if entry.deadline_passed?

      line = line_of(entry)
      raise overloaded("#{@limits.max_waiting} callers wait already (max_waiting)#{why_wait(entry)}") if full?(line)

      @quiet = false
      line.join(entry, @limits.max_wait)
      @seekers[entry] = true if line.equal?(@alone)
      true
    end

    # The caller waits no longer, and may have been called.
    #
    # @return [Boolean] whether another is to be called in its place
    def leave(entry)
      @waits << (Waiting.now - entry.since)
      @calls.answered(entry)
      return false if entry.trunk && !entry.lined_up?

      !line_of(entry).leave(entry).nil? || (entry.called? && !entry.trunk)
    end

    # Notes that a caller that wanted a trunk of its own has one, or goes without.
    #
    # @return [Boolean] whether it was counted by {#seeking}
    def stop_seeking(entry) = !@seekers.delete(entry).nil?

    # @return [Integer] how many seek a trunk of their own
    def seeking = @seekers.size

    # @return [Boolean] whether a long request waits for a trunk that is draining. It goes to no other meanwhile.
    def waits_for_drained?(entry) = @roster.draining? && entry.long? && !entry.blocks_its_scheduler?

    # One of those that wait looks again soon, for all of them: what changes with time alone, or on connections that have no active callers, calls none.
    #
    # @param other [Float, nil] when there is something else to do
    # @return [Float] when the caller in line is to look, on the clock of Waiting.now
    def watch(entry, other)
      @watcher = entry
      @watched_until = [entry.expires_at, Waiting.now + LOOK_AGAIN, @opener.due_at, @calls.due, other].compact.min
    end

    # Calls the callers that can go on now, unless another caller is about to look.
    #
    # @return [Array<WaitingLine::Entry>, nil] those that are owed a wake-up; nil: it is another one's turn to look
    def serve_for(entry) = (serve unless watched?(entry))

    # A single connection goes to the callers that wait to share it, before it is kept for the next one that wants one of its own.
    #
    # @param trunk [Trunk] that was given back
    # @return [Array<WaitingLine::Entry>] those that are owed a wake-up
    def share_single(trunk)
      return [] if @quiet || !@roster.single?

      [@sharing, @sharing_long].flat_map { |line| line.empty? ? [] : line.call_for(trunk, @dispatcher.room_for(line.first.request)) }
    end

    # Calls the callers that can go on now.
    #
    # @return [Array<WaitingLine::Entry>] those that are owed a wake-up
    def serve
      @quiet ||= crowd.nil? && @seekers.empty?
      return [] if @quiet && !@roster.draining?

      @sharing.hand_over_to(@sharing_long) while @sharing.first&.turned_long?
      free_trunks(now = Waiting.now)
      called = keep_trunks(now)
      @lines.each { |line| called.concat(call_from(line)) unless line.empty? }
      called
    end

    # Calls all.
    #
    # @return [Array<WaitingLine::Entry>] those that are owed a wake-up
    def call_all = @lines.flat_map(&:call_all)

    # Calls those that do not go on waiting after an attempt to connect has failed, and wakes the first of the others, which sees to the next one: it has
    # gone to sleep before it was known when.
    #
    # @param failure [Exception]
    # @param begun [Float, nil] when the attempt began, on the clock of Waiting.now; nil: callers go on with trunks there are, or wait
    # @return [Array<WaitingLine::Entry>] those that are owed a wake-up
    def call_failed(failure, begun)
      failed = begun ? @lines.flat_map { |line| line.call_failed(failure, begun, @opener.patience(failure)) } : []
      failed.concat(serve, @lines.filter_map(&:rouse_first))
    end

    # @return [Boolean] whether callers have gone that stand at the front of a line, were called, or seek a trunk of their own. The lock need not be
    # held: this looks at copies.
    def any_gone? = @calls.any_overdue? || @lines.any? { |line| line.first&.gone? } || @seekers.keys.any?(&:gone?)

    # Forgets callers whose threads or event loops have ended, and called fibers that their event loop has not resumed in time.
    def forget_gone
      overdue = @calls.overdue
      gone = ->(entry) { entry.gone? || overdue.any? { |scheduler| scheduler.equal?(entry.scheduler) } }
      @lines.each { |line| line.forget(&gone) }
      @calls.take_out(&gone).each(&:forget)
      @seekers.reject! { |entry,| gone.call(entry) }
    end

    private

    def line_of(entry)
      return @alone if entry.alone?

      entry.long? ? @sharing_long : @sharing
    end

    # @return [false] the request's own deadline has passed
    # @raise [Overloaded] max_wait has passed before it
    def waited_in_vain(entry)
      return false if entry.request.deadline_passed?
      raise entry.outlasted.exception(entry.outlasted.message) if entry.outlasted && @opener.failing?

      raise overloaded("no connection had room within #{format("%g", @limits.max_wait)} s (max_wait)#{why_wait(entry)}")
    end

    def full?(line) = line.size >= @limits.max_waiting

    # @return [String] for a caller that waits in vain; empty where connections are shared, and are just busy
    def why_wait(entry)
      return "#{entry.explanation}; #{@roster.limit}" if entry.alone? && !entry.explanation.empty?

      @roster.pinned.any? && @roster.trunks.empty? ? ": sessions, transactions or subscriptions hold all connections; #{@roster.limit}" : entry.explanation
    end

    def overloaded(reason) = Overloaded.new(reason, server: @server)

    # Has a trunk take nothing new for those that others would pass for ever.
    def free_trunks(now)
      long = @sharing_long.first
      @roster.drain(!@seekers.empty?, !long.nil? && waited?(long, LONG_ENOUGH, now))
      @roster.share_drained if long && @roster.draining? && @seekers.empty?
    end

    # Calls callers with long requests that others have passed for too long, each to an idle trunk that is kept for it.
    def keep_trunks(now)
      called = []
      while (entry = @sharing_long.first) && waited?(entry, PATIENCE, now) && !waits_for_drained?(entry) && (trunk = @dispatcher.keep_for(entry.request))
        called.push(*@sharing_long.call_to(trunk))
      end
      called
    end

    # @return [Boolean] whether the caller has waited for so many seconds, or was outrun when it had been called
    def waited?(entry, seconds, now) = now - entry.since > seconds || entry.called?

    # Calls those that can go now, and as many as that: more would find no room.
    def call_from(line)
      entry = line.first
      return [] if waits_for_drained?(entry)

      room = line.equal?(@alone) ? 0 : @dispatcher.room_for(entry.request)
      room = 1 if room.zero? && (@closed || may_go?(entry, line))
      room.positive? ? line.call_first(room) : []
    end

    # @return [Boolean] whether the caller can go although there is no room: it takes a trunk for its own, or makes room for itself
    def may_go?(entry, line)
      return @opener.may_open?(entry) || @roster.any_to_take? if line.equal?(@alone)
      return true if @roster.may_share_another? && (@opener.may_open?(entry) || @roster.spare_to_share? || @opener.may_grow?(entry))

      !@dispatcher.unread_for(entry.request).nil?
    end
  end
  private_constant :WaitQueue
end
