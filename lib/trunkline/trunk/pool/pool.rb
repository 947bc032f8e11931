# frozen_string_literal: true

require_relative "admission"
require_relative "dropped_callers"
require_relative "../abandonment"
require_relative "ledger"
require_relative "../limits"
require_relative "../lock"
require_relative "../loss"
require_relative "opener"
require_relative "pool_stats"
require_relative "roster"
require_relative "../trunk"
require_relative "queued_wait"
require_relative "wait_queue"

module Trunkline
  # Finds a trunk for each request, and opens trunks. A request that may share goes to the open trunk with the shortest expected backlog; a session
  # reserves a trunk. A caller that finds none suitable opens the next connection, if the budget allows, and uses it; otherwise it waits in a queue.
  #
  # Roster holds the trunks, Opener opens further ones, and WaitQueue holds the waiting callers. The pool decides which of them a caller needs next,
  # and holds its lock around each change of theirs. A request that goes to an open trunk takes no lock.
  class Pool # :nodoc:
    # @param connections [Integer] how many are shared at most
    # @param most [Integer] how many there are at most, in all
    # @param limits [Limits]
    # @param server [String, nil] label for errors
    # @param divided [Boolean] whether several processes divide the server's connections among them: see {Quota}
    # @param check [#call, nil] see {IdleChecks}
    # @param address_changed [#call, nil] see {Opener#initialize}
    # @yield [pool] opens a connection
    # @yieldreturn [Trunk]
    def initialize(connections:, most:, limits: Limits.new, server: nil, divided: false, check: nil, address_changed: nil, &open)
      @budget = { connections: connections, most: most, max_idle: limits.max_idle.to_f, divided: divided, check: check }
      @limits, @server, @open, @address_changed = limits, server, open, address_changed
      @callers_waiting, @only_locked, @closed, @divided = Flag.new, Flag.new, false, divided
      begin_anew
    end

    attr_reader :callers_waiting # [Flag] on while callers wait for a trunk

    def ending = @opener.ending # [Opener::Ending, nil] of the last connection that the server ended with a message

    # @return [Float] seconds after which an idle connection is replaced, before its server would end it
    def idle_limit = @roster.idle_limit
    def idle_limit=(seconds)
      locked { @roster.idle_limit = seconds }
    end

    # Sends the request over a shared trunk and waits for its answer. The same as {#over_shared_trunk}, without a block call for the first attempt.
    def perform(request)
      trunk = @dispatcher.choose(request) unless @queued
      return trunk if trunk && !(@growing && another_is_better?(trunk)) && trunk.perform(request)

      find_for(request) { |found| found.perform(request) }
    end

    # @return [Boolean] whether the request would wait for a connection now, or open one
    def would_wait?(request) = @queued || choose(request).nil?

    # Sends the request over a shared trunk, and does not wait. As {#over_shared_trunk}.
    def dispatch(request)
      request.pipelined!
      over_shared_trunk(request) { |trunk| trunk.dispatch(request) }
    end

    # Finds a shared trunk for the request, and calls the block to send the request over it.
    # @yieldreturn [Boolean] whether the trunk took the request; if not, the request is unchanged
    # @return [Trunk, nil] the one that took it; nil: the deadline has passed first
    def over_shared_trunk(request, &send)
      trunk = choose(request) unless @queued
      return trunk if trunk && yield(trunk)

      find_for(request, &send)
    end

    # Reserves a trunk for the caller, which returns it with {#check_in}: a spare one, if no caller waits and none has to be retired first.
    # @param request [Request] whose waiter is the caller
    # @param user [#alive?, #shared?, nil] of the trunk, from the moment it is reserved: see {Trunk#user}
    # @yieldreturn [String] a likely reason for a lack of trunks, for the error of a caller that waits in vain
    # @return [Trunk]
    def check_out(request, user = nil, &explanation)
      ready = @queue_idle && !@idle_checks&.due? && @roster.take_ready_spare(@mutex, @only_locked, request, user) and return ready

      entry = trunk = nil
      Waiting.without_interrupts(request.scheduler) do
        until trunk && (trunk.codec.idle? || settled?(trunk, request)) && trunk.alive?
          raise Deadline, "the deadline has passed before a connection was free: nothing has happened" if request.deadline_passed?

          trunk = obtain(entry ||= CallerQueue::Entry.new(request, to_pin: true, &explanation))
          trunk.user = user if trunk
        end
        check_idle if @idle_checks&.due?
        trunk
      ensure
        wake_called { @queue.stop_seeking(entry) ? @queue.serve : [] } if entry&.expires_at
      end
    end

    # Takes a trunk back, whose session state must be as any caller expects it.
    def check_in(trunk)
      trunk.user = nil
      return trunk.close("its lifetime has ended") if trunk.state.expired?

      put_aside(trunk) || wake_called { @roster.check_in(trunk, wanted: @queue.seeking, shared: !@queue_idle && @queue.sharing?) ? @queue.share_single(trunk).concat(@queue.serve) : [] }
      trunk.close("the client was closed") if @closed
    end

    def freed = wake_called { @queue.serve } # called by a trunk that has no active callers any more, or has room again

    # Called by a trunk whose connection has ended.
    def lost(trunk)
      wake_called do
        @roster.remove(trunk)
        @ledger.ended(trunk) if trunk.loss
        @opener.ended(trunk)
        @queue.serve
      end
    end

    # Closes the trunks that are not in use now, and the others when their requests are answered. Later callers open new ones.
    def renew
      locked { renew_after_fork || @roster.all.each { |trunk| trunk.state.set_in_flight_limits(@limits.max_in_flight, @limits.max_bytes_in_flight, Waiting.now) } }
      Waiting.without_interrupts { loop { (locked { @roster.retire } || break).retire("the client was disconnected") } }
    end

    def trunks = locked { renew_after_fork || @roster.all } # [Array<Trunk>] that are open

    def pinned = @roster.pinned # [Array<Trunk>] that are reserved

    # Retires the trunks that the block selects: they take no more requests, and are closed when those in flight are answered.
    def retire_where(reason, &chosen)
      retired = locked { renew_after_fork || @opener.retire_where(&chosen) }
      Waiting.without_interrupts { retired.each { |trunk| trunk.retire(reason) } }
    end

    # Closes every trunk, including quarantined ones. Callers that wait now or come later get the error {Closed}. It is not interrupted.
    def close
      Thread.handle_interrupt(Waiting::NEVER) do
        locked { (@queue.closed = @closed = @only_locked.on = true) && @ledger.trunks.dup }.each { |trunk| trunk.close("the client was closed") }
        wake_called { @queue.call_all }
      end
    end

    def closed? = @closed
    def dispatcher = locked { renew_after_fork || @dispatcher } # [Dispatcher] among its shared trunks; another one in a forked child
    def read_unattended = @roster.read_unattended # reads answers on trunks that no active caller reads
    def counts = @roster.counts # [Hash] how many trunks are shared, pinned, spare and being opened
    # @return [Hash{Symbol => Object}] see {PoolStats#to_h}
    def stats
      @roster.read_unattended
      locked { renew_after_fork || PoolStats.new(@roster, @ledger, @queue).to_h }
    end

    private

    def begin_anew
      @generation = Trunkline.process_generation
      @lock = Lock.new(@mutex = Mutex.new)
      @idle_checks = (@roster = Roster.new(**@budget)).idle_checks
      @ledger = Ledger.new
      @opener = Opener.new(@roster, @ledger, @limits, @server, @open, @address_changed)
      @queue = WaitQueue.new(@roster, @opener, @limits, @server, @closed)
      @admission = Admission.new(@roster, @opener, @queue)
      dropped = DroppedCallers.new(@roster, [@queue, @opener]) { wake_called { dropped.forget && @queue.serve } }
      @queued_wait = QueuedWait.new(@lock, @roster, @queue, dropped, method(:locked), method(:wake_called))
      @dispatcher, @queue_idle = @roster.dispatcher, false
      refresh_hints
    end

    # Returns nil if no open trunk will do, or if another should be opened instead of using a busy one, and no caller does so yet.
    def choose(request) = @dispatcher.choose(request)&.then { |trunk| trunk unless @growing && another_is_better?(trunk) }
    def another_is_better?(trunk) = !trunk.codec.idle? && (@roster.spare_to_share? || @opener.may_open_to_share?)

    def find_for(request)
      entry = CallerQueue::Entry.new(request, to_pin: false)
      Waiting.without_interrupts(request.scheduler) do
        until request.deadline_passed?
          trunk = obtain(entry) || (choose(request) unless request.inherited?)
          used = trunk && yield(trunk)
          return trunk.tap { check_idle if @idle_checks&.due? } if used

          entry.leave_unused
        end
        request.fail(Abandonment::UNSENT[:deadline])
        nil
      ensure
        entry.leave_unused unless used
      end
    end

    # Returns a trunk that the caller has opened or that was kept for it. Nil: the caller chooses again.
    def obtain(entry)
      what, trunk = !@queue_idle && may_follow?(entry) ? :wait : next_step(entry)
      found = case what
              when :open then open_trunk(entry)
              when :wait then @queued_wait.wait(entry, trunk)
              when :make_room then trunk.reader.make_room(entry.request, WaitQueue::CHECK_INTERVAL) { @dispatcher.accepts?(trunk.state, entry.request) }
              when :retire then trunk.retire(trunk.state.expired? ? "its lifetime has ended" : "it was idle for too long")
              else return trunk
              end
      raise Closed, Loss::INHERITED if entry.request.inherited? # it may have waited across a fork

      found
    end

    def next_step(entry)
      @roster.read_unattended
      locked { decide(entry) }
    end

    def may_follow?(entry) = @queue.watched?(entry) && !@closed && @generation == Trunkline.process_generation && entry.failure.nil? && @queued_wait.follow(entry)

    def check_idle = @idle_checks.start(*locked { renew_after_fork || @idle_checks.take }) { |trunk| check_in(trunk) }

    def decide(entry)
      renew_after_fork
      raise Closed, "the client is closed" if @closed
      raise entry.failure.exception(entry.failure.message) if entry.failure

      @admission.decide(entry) { refresh_hints }
    end

    def open_trunk(entry)
      opener = @opener # a forked child creates another
      kept = nil
      trunk = opener.open(entry, self) or return
      return trunk.close(Loss::INHERITED) if entry.request.inherited?

      wake_called { (kept = @opener.opened(entry, trunk)) ? @queue.serve : [] }
      return trunk.close(Opener::TOO_LATE) && nil unless kept

      retire_surplus
      lost(trunk) if trunk.loss # before the pool had it
      trunk.tap { |opened| opened.close("the client was closed") if @closed }
    rescue Error => error
      error = nil if entry.request.deadline_passed?
      raise if error && !@opener.continues_after?(entry, error)
    ensure
      unless trunk || !opener.equal?(@opener)
        wake_called { @opener.not_opened(entry, error).then { |begun| error ? @queue.call_failed(error, begun) : @queue.serve } }
        retire_surplus
      end
    end

    # Those that exceed this process's share of the server's connections.
    def retire_surplus = locked { @roster.shed_surplus }.each { |trunk| trunk.retire("it exceeds this process's share of the server's connections") }

    def renew_after_fork
      return if @generation == Trunkline.process_generation

      inherited = @roster.all
      begin_anew
      inherited.each(&:lose_inherited)
      nil
    end

    # Without the steps for other callers, if none waits.
    def put_aside(trunk) = @queue_idle && (@roster.put_aside_at_once(@mutex, @only_locked, trunk, @growing) || locked { @queue_idle && !@roster.draining? && @roster.check_in(trunk, wanted: 0, shared: false) })

    # A trunk that was shared may still owe answers to callers that have left. The check of a reserved one may show that it is not usable.
    def settled?(trunk, request)
      settled = trunk.reader.settle(request) && !trunk.state.expired?
    ensure
      check_in(trunk) unless settled
      raise Closed, Loss::INHERITED if request.inherited?
    end

    # Updates the variables that {#choose} reads without the lock.
    def refresh_hints
      refresh_queue_hints unless @queue_idle && @queue.idle?
      @growing = @roster.update_room || (@divided && @opener.may_recount? && @roster.opening_to_share.zero?)
    end

    def refresh_queue_hints
      waiting_kind = @queue.waiting_kind
      @queue_idle = @queue.idle?
      @queued = waiting_kind == :sharing
      @callers_waiting.on = !waiting_kind.nil?
      @only_locked.on = !@queue_idle || @closed
    end

    # Runs the block, which changes the queue or the roster, with the lock held.
    def locked
      @lock.synchronize do
        @opener.update_pause
        yield
      ensure
        refresh_hints
      end
    end

    # Runs the block with the lock held and wakes the callers of the entries that it returns. They sleep until they are woken, so nothing can come
    # between.
    def wake_called
      Waiting.without_interrupts { locked { yield }.each(&:wake) }
    end
  end
  private_constant :Pool
end
