# frozen_string_literal: true

require_relative "../../trunk/attendance"

module Trunkline
  module Postgres
    # Why it is unknown whether an executed statement is durable.
    #
    # why:: [Symbol] :deadline (it has passed first), :closed (by the client) or :failed
    # reason:: [String, nil] one sentence, if it failed
    Unflushed = Struct.new(:why, :reason)

    # One flush of the server's write-ahead log, a commit with synchronous_commit on, for which the callers of several writes wait. The log is flushed
    # in order, so all earlier commits are durable too. A crash ends every server process. So a process that existed before a write was sent, and
    # answers afterwards, proves that the write is not lost: a restarted server has other processes.
    #
    # One of the callers leads: it sends the flush and waits on the connection, and passes the lead on when it leaves early. If its event loop has
    # dropped it, another leads, and sends the flush again. {Flushes} holds the lock around every change.
    class SharedFlush # :nodoc:
      # The process reports its ID: behind a pooler it differs from the one reported at startup. The message makes the server write a commit record;
      # its prefix shows readers of logical decoding where it is from.
      SQL = "SELECT pg_catalog.pg_backend_pid(), pg_catalog.set_config('synchronous_commit', $1, true), " \
            "pg_catalog.pg_logical_emit_message(true, 'trunkline', '') IS NOT NULL"
      # A flush has no other effect, so one that an administrator or a stray cancel request has ended is sent again. It is a bound: two cancels may hit
      # one flush, as a second one is sent for a request that the first has not ended.
      MOST_TRIES = 3
      # Seconds without a sign of the leader's event loop after which another caller leads. That loses nothing: the flush is sent twice.
      LONGEST_ABSENCE = Attendance::LONGEST_SLEEP + Waiting::LONGEST_TURN
      NO_PROCESS = "a pooler has sent the flush to another server process"
      private_constant :MOST_TRIES, :LONGEST_ABSENCE, :NO_PROCESS

      # @return [Array<Attendance>] of the callers that wait for it
      attr_reader :waiting

      # @return [Unflushed, nil] nil, if it is over: everything is durable
      attr_reader :failure

      # @param statement [Statement] of SQL
      # @param level [String] of synchronous_commit
      # @param pid [Integer] of the server process
      def initialize(trunk, statement, level, pid)
        @trunk = trunk
        @statement = statement
        @level = level
        @pid = pid
        @waiting = []
        @leader = @request = @failure = nil
        @tries = 0
        @over = false
      end

      def over? = @over

      # Adds a caller, which leads if no other does.
      #
      # @param caller [Attendance] the caller's, as for the methods that follow
      def join(caller)
        @waiting.push(caller)
        @leader ||= caller
      end

      # Takes the lead if no other caller has it. A flush that is over gets no leader: that would take the turn of the next flush, whose callers would
      # sleep for ever.
      #
      # @return [Boolean] whether this caller leads
      def lead?(caller)
        return false if @over

        drop_leader if leader_dropped?(caller)
        @leader ||= caller
        led_by?(caller)
      end

      # @return [Boolean] whether there is a leader that was not dropped by its event loop, as far as this caller can see
      def led?(caller) = !@leader.nil? && !leader_dropped?(caller)

      # @return [Boolean] whether the leader was dropped; one of the caller's event loop was not, as that runs
      def leader_dropped?(caller) = (leader = @leader) ? !leader.same_loop?(caller) && leader.dropped?(LONGEST_ABSENCE) : false

      # @return [Boolean] whether this caller leads
      def led_by?(caller) = @leader.equal?(caller)

      # @return [Array<Attendance>] of callers to wake when the flush may begin: its leader begins it, and the others keep waiting
      def callers_to_begin = @leader ? [@leader] : @waiting.dup

      # @return [Array<Attendance>] of callers to wake: the lead is free
      def leave(caller)
        @waiting.delete(caller)
        return [] unless @leader.equal?(caller)

        @leader = nil
        @waiting.dup
      end

      # Called by the leader alone: sends the flush, unless it is in flight, and waits for its answer.
      #
      # @param deadline [Float, nil] the leader's, on the clock of Waiting.now; the flush has none
      def run(deadline)
        leader = @leader
        if (request = @request)
          @trunk.reader.attend(request.adopt, deadline, leader) { false }
        else
          request = @request = build
          @trunk.reader.perform_beside_others(request, deadline, leader)
        end
        conclude if request.done? && request.equal?(@request)
      end

      private

      # The flush in flight has the fiber as its waiter.
      def drop_leader
        @waiting.delete(@leader)
        @leader = @request = nil
      end

      def build
        @tries += 1
        request = @last&.anew || Request.query(@statement, [@level])
        @last = request.copy_limits(request.fence)
      end

      def conclude
        return @request = nil if @request.error && @tries < MOST_TRIES

        @failure = what_failed
        @over = true
      end

      def what_failed
        loss = @request.failure
        return Unflushed.new(loss.closed ? :closed : :failed, loss.reason) if loss
        return Unflushed.new(:failed, ErrorFields.parse(@request.error)[:message]) if @request.error

        Unflushed.new(:failed, NO_PROCESS) unless @request.value == @pid
      end
    end

    # The flushes of one connection: at most one is in flight, and callers that come meanwhile wait for the next one.
    class Flushes # :nodoc:
      # @return [String] identifies a server from its start on; the same for all connections to it
      attr_reader :server

      # @param server [String]
      # @param arguments what {SharedFlush#initialize} takes
      def initialize(server, *arguments)
        @server = server
        @arguments = arguments
        @lock = Lock.new
        @current = @following = nil
      end

      # Waits until everything that the server has answered before is durable. Interrupts are masked. A caller that could begin a flush first gives a
      # turn to others that are ready now, as their writes were answered at the same time: they join it, instead of waiting for this flush and the
      # next one.
      #
      # @param deadline [Float, nil] on the clock of Waiting.now
      # @yield at least once a second, while the caller waits
      # @return [Unflushed, nil] nil: it is
      def wait(deadline, &renewed)
        caller = Attendance.new(Waiter.new, &renewed)
        flush = @lock.synchronize { join(caller) }
        Waiting.give_turn(caller.waiter.scheduler) if @current.nil? && flush.led_by?(caller)
        advance(flush, caller, deadline) until flush.over? || passed?(deadline)
        flush.over? ? flush.failure : Unflushed.new(:deadline)
      ensure
        leave(flush, caller)
      end

      private

      def passed?(deadline) = deadline && Waiting.now >= deadline

      def join(caller)
        flush = @following ||= SharedFlush.new(*@arguments)
        flush.join(caller)
        flush
      end

      def advance(flush, caller, deadline)
        return sleep_while(caller, deadline) { flush.led?(caller) && !flush.over? } unless flush.led_by?(caller) || take_lead?(flush, caller)
        return sleep_while(caller, deadline) { !begun?(flush) && !@current.nil? } unless begin_now?(flush, caller)

        flush.run(deadline)
        finish(flush) if flush.over?
      end

      # The lock costs a microsecond: it is taken only if the lead is free.
      def take_lead?(flush, caller) = !flush.led?(caller) && @lock.synchronize { flush.lead?(caller) }

      def begun?(flush) = @current.equal?(flush)

      # The callers of a flush whose leader was dropped begin it again after this one.
      def begin_now?(flush, caller)
        @lock.synchronize do
          @current = nil if @current&.leader_dropped?(caller)
          next begun?(flush) if @current

          @following = nil if @following.equal?(flush)
          @current = flush
          true
        end
      end

      # Until the caller is parked, what the block returns may change, so it is checked after that. A leader that is dropped wakes no other, so the
      # caller wakes by itself, and shows by that, too, that its own event loop runs.
      def sleep_while(caller, deadline)
        caller.renew
        waiter = caller.waiter.park
        yield ? Waiting.park(waiter, Waiting.next_check(deadline)) : Waiting.unpark(waiter)
      end

      # Begins the next flush before the callers of this one continue and write again: the disk is not idle meanwhile.
      def finish(flush)
        wake_each { begin_following(flush) + flush.waiting }
      end

      # A flush that is over has no leader to replace, and its callers were woken.
      def leave(flush, caller)
        return if flush.nil? || (flush.over? && !flush.led_by?(caller))

        wake_each { flush.leave(caller) + (flush.waiting.empty? ? begin_following(flush) : []) }
      end

      # @return [Array<Attendance>] of callers to wake: it is their turn
      def begin_following(flush)
        @following = nil if @following.equal?(flush)
        return [] unless begun?(flush)

        @current = nil
        @following ? @following.callers_to_begin : []
      end

      # A woken caller may run at once, so the lock is released first.
      def wake_each(&callers) = @lock.synchronize(&callers).each { |caller| caller.waiter.wake_if_parked }
    end
    private_constant :Unflushed, :SharedFlush, :Flushes
  end
end
