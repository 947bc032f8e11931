# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "unanswered_calls"
require_relative "../waiting"

module Trunkline
  # A FIFO queue of callers that wait for the same kind of trunk. The owner's lock is held around each call.
  class CallerQueue # :nodoc:
    # A caller that waits.
    class Entry
      LONGEST_SLEEP = Socket::Readiness::LONGEST_WAIT
      private_constant :LONGEST_SLEEP

      # @return [Request] the caller's; its waiter parks and is woken
      attr_reader :request

      # @return [Fiber::Scheduler, nil] of the caller
      attr_reader :scheduler

      # @return [Exception, nil] why waiting has become pointless
      attr_accessor :failure

      # @return [Exception, nil] of the last failed attempt to connect after which the caller kept waiting
      attr_reader :last_failure

      # @return [Trunk, nil] that is kept for the caller, once it is called
      attr_accessor :trunk

      # @return [Float, nil] when the caller stops waiting, on the clock of Waiting.now; nil before it waits
      attr_reader :expires_at

      # @return [Float] when the caller wakes at the latest, even if another one checks for it, on the clock of Waiting.now; at first after half of
      #   its time, to collect what dropped callers hold
      attr_reader :sleeps_until

      # @return [Float] when it joined the queue last, on the clock of Waiting.now
      attr_reader :since

      # @return [Float] when it joined the queue first
      attr_reader :first_since

      # @param to_pin [Boolean] whether the caller waits to pin a trunk
      # @yieldreturn [String] a likely reason for a lack of trunks, for errors
      def initialize(request, to_pin:, &explanation)
        @request = request
        @scheduler = request.scheduler
        @thread = Thread.current
        @to_pin = to_pin
        @explanation = explanation
        @long = !to_pin && request.long?
        @trunk = nil
        @called = @queued = @woke_itself = false
        @failover_until = @last_failure = nil
      end

      def to_pin? = @to_pin

      # @return [Boolean] whether the caller waits for a shared trunk with a long request
      def long? = @long

      # @return [Boolean] whether its request has been reclassified as long since it came; true once
      def became_long? = !@long && !@to_pin && (@long = @request.long?)

      # @return [Boolean] whether the caller will never resume: its thread or its event loop has ended, and its fiber was dropped where it waited. One
      #   that has not woken by itself in time counts as dropped too. If it resumes after all, it returns to its former position
      def gone? = !@thread.alive? || @request.dropped? || overslept?

      # @return [String] a likely reason for a lack of trunks; empty if none was given
      def explanation = @explanation ? ": #{@explanation.call}" : ""

      # An attempt to connect has failed. The caller may keep waiting for another attempt to succeed.
      #
      # @param error [Exception]
      # @param most [Float] seconds that it does so, from its first failed attempt, if that is longer than its time in the queue
      # @param begun [Float] when the attempt began, on the clock of Waiting.now: one that began before the caller came does not concern it
      # @return [Boolean] whether it keeps waiting
      def continues_after?(error, most, begun = Float::INFINITY)
        return false unless error.is_a?(Error) && error.retriable?
        return false unless @first_since&.>(begun) || extend_wait(most)

        @last_failure = error
        true
      end

      # @return [Boolean] whether it was called before: another caller has taken the room since
      def called? = @called

      # @return [Boolean] whether it has been in a queue before
      def queued_before? = !@first_since.nil?

      # @return [Boolean] whether it has waited for as long as it may
      def deadline_passed? = !@expires_at.nil? && Waiting.now >= @expires_at

      # @return [Boolean] whether it is in a queue
      def queued? = @queued

      # Parks the caller, which is in a queue from now on.
      #
      # @param most [Float] seconds that it waits in all
      def enqueue(most)
        @since = Waiting.now
        @first_since ||= @since
        @expires_at ||= [[@since + most, @failover_until].compact.max, @request.deadline].compact.min
        @sleeps_until = @since + [LONGEST_SLEEP, (@expires_at - @since) / 2].min
        @trunk = nil
        @queued = true
        @woke_itself = false
        @request.park
        self
      end

      # Parks the caller again, after its timer has woken it.
      #
      # @return [Boolean] false: it was called, has waited for long enough, or waits in the parent process of this one
      def stay
        staying = @queued && !deadline_passed? && !@request.inherited?
        @woke_itself = false
        @sleeps_until = [Waiting.now + LONGEST_SLEEP, @expires_at].min
        @request.park if staying
        staying
      end

      # Wakes the caller, which must be woken once. If it is the calling fiber, that only notes it: on its way to sleep it ends connections of dropped
      # callers, and may call itself by that.
      def wake
        @woke_itself = @request.fiber.equal?(Fiber.current)
        @request.wake unless @woke_itself
      end

      # @return [Boolean] whether the calling fiber has called itself since it parked
      def woke_itself? = @woke_itself

      # Returns a trunk that was kept for the caller and is not used.
      def leave_unused
        @trunk&.leave_unused(@request)
      end

      # Removes a caller that will not resume, and gives the trunk that was kept for it to others. If the caller resumes after all, it chooses a trunk
      # again.
      def forget
        @trunk&.state&.deactivate(@request)
        @trunk = nil
        leave
      end

      def called
        @called = true
        @queued = false
        self
      end

      def leave
        @queued = false
        self
      end

      # @return [Boolean] whether it is a blocking fiber in a thread with a scheduler: the thread's other fibers cannot return what they hold while it
      #   waits
      def blocks_its_scheduler? = @scheduler.nil? && !Fiber.scheduler.nil?

      private

      # Its event loop was dropped by a thread that makes no more calls, or is blocked. Its entry would keep all fibers of that loop from being
      # collected, and what they refer to.
      def overslept?
        return false unless @queued && @scheduler && Waiting.now > @sleeps_until + Waiting::LONGEST_TURN

        !@scheduler.equal?(Fiber.current_scheduler)
      end

      def extend_wait(most)
        @failover_until ||= Waiting.now + most
        @expires_at &&= [[@expires_at, @failover_until].max, @request.deadline].compact.min
        Waiting.now < @failover_until
      end
    end

    # @param calls [UnansweredCalls] of all queues
    def initialize(calls = UnansweredCalls.new)
      @calls = calls
      @entries = []
    end

    def empty? = @entries.empty?
    def size = @entries.size
    def first = @entries.first

    # Moves the first entry to the end of another queue.
    def hand_over_to(other) = other.entries.push(@entries.shift)

    # An entry that was called and overtaken, or removed as dropped, returns to its former position, before those that came later.
    #
    # @param most [Float] seconds that the caller waits in all
    def join(entry, most)
      again = entry.queued_before?
      entry.enqueue(most)
      later = @entries.index { |other| other.first_since > entry.first_since } if again
      @entries.insert(later || -1, entry)
    end

    # @return [Entry, nil] nil: it is not in the queue any more
    def leave(entry) = entry.queued? ? @entries.delete(entry.leave) : nil

    # Takes out the first entry, and with it those that can proceed with it: callers that share, and have the same scheduler.
    #
    # @param most [Integer] how many in all
    # @return [Array<Entry>] of callers that were asleep and must be woken
    def call_first(most)
      head = first
      call(most) { |entry| entry.equal?(head) || (!head.to_pin? && entry.scheduler.equal?(head.scheduler)) }
    end

    # Takes out the first entry, for which the trunk is kept.
    #
    # @return [Entry, nil] the same, if its caller was asleep and must be woken
    def call_to(trunk)
      entry = @entries.shift
      entry.trunk = trunk
      @calls.add(entry)
      entry if entry.called.request.mark_woken
    end

    # Takes out the entries whose requests the trunk accepts: their callers are active there from then on.
    #
    # @param most [Integer] how many in all
    # @return [Array<Entry>] of callers that were asleep and must be woken
    def call_for(trunk, most) = call(most) { |entry| entry.trunk = trunk if trunk.state.enter(entry.request) }

    # Takes out all entries.
    #
    # @return [Array<Entry>] of callers that were asleep and must be woken
    def call_all = call(size) { true }

    # Takes out the entries of callers that stop waiting.
    #
    # @param failure [Exception] why no trunk could be opened
    # @param begun [Float] when that attempt began, on the clock of Waiting.now
    # @param most [Float] seconds that a caller keeps waiting after its first failed attempt
    # @return [Array<Entry>] of callers that were asleep and must be woken
    def call_failed(failure, begun, most) = call(size) { |entry| entry.failure = failure unless entry.continues_after?(failure, most, begun) }

    # @return [Entry, nil] the first, which stays in the queue, if its caller was asleep and must be woken
    def mark_first_woken = (first if first&.request&.mark_woken)

    # Removes the entries that the block selects.
    #
    # @return [Array<Entry>]
    def take_out(&chosen)
      taken, @entries = @entries.partition(&chosen)
      taken
    end

    protected

    attr_reader :entries

    private

    def call(most)
      called = []
      passed = []
      (yield(@entries.first) ? called : passed).push(@entries.shift) until called.size == most || @entries.empty?
      @entries = passed.concat(@entries) unless passed.empty?
      called.each { |entry| @calls.add(entry) }.select { |entry| entry.called.request.mark_woken }
    end
  end
  private_constant :CallerQueue
end
