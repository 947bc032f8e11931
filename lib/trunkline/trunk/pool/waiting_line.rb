# frozen_string_literal: true

require_relative "../../socket/readiness"
require_relative "unanswered_calls"
require_relative "../waiting"

module Trunkline
  # Callers that wait for the same kind of trunk, in order. Its owner's lock is held around each call.
  class WaitingLine # :nodoc:
    # A caller that waits in line.
    class Entry
      LONGEST_SLEEP = Socket::Readiness::LONGEST_WAIT
      private_constant :LONGEST_SLEEP

      # @return [Request] what the caller waits with; its state is the caller's
      attr_reader :request

      # @return [Fiber::Scheduler, nil] of the caller
      attr_reader :scheduler

      # @return [Exception, nil] why waiting has become pointless
      attr_accessor :failure

      # @return [Exception, nil] with which the last attempt to connect failed that the caller went on waiting after
      attr_reader :outlasted

      # @return [Trunk, nil] that is kept for the caller, now that it is called
      attr_accessor :trunk

      # @return [Float, nil] when the caller has waited for long enough, on the clock of Waiting.now; nil before it waits
      attr_reader :expires_at

      # @return [Float] when the caller is woken at the latest, also where another one looks for it, on the clock of Waiting.now: in half of its time at
      #   first, to collect what dropped callers hold
      attr_reader :sleeps_until

      # @return [Float] when it came to stand in line the last time, on the clock of Waiting.now
      attr_reader :since

      # @return [Float] when it came to stand in line the first time
      attr_reader :first_since

      # @param alone [Boolean] whether the caller wants a trunk of its own
      # @yieldreturn [String] why it waits, told to callers that wait in vain
      def initialize(request, alone:, &explanation)
        @request = request
        @scheduler = request.scheduler
        @thread = Thread.current
        @alone = alone
        @explanation = explanation
        @long = !alone && request.long?
        @trunk = nil
        @called = @lined_up = @told = false
        @outlasts_until = @outlasted = nil
      end

      def alone? = @alone

      # @return [Boolean] whether the caller wants a shared trunk, for a long request
      def long? = @long

      # @return [Boolean] whether its request has become a long one since it came; true once
      def turned_long? = !@long && !@alone && (@long = @request.long?)

      # @return [Boolean] whether the caller will never go on: its thread has ended, or its event loop, whose fibers were dropped where they waited
      def gone? = !@thread.alive? || @request.dropped?

      # @return [String] why it waits; empty where that is not said
      def explanation = @explanation ? ": #{@explanation.call}" : ""

      # An attempt to connect has failed. The caller may go on waiting, for another attempt to succeed.
      #
      # @param error [Exception]
      # @param most [Float] seconds that it does so, from the first one that failed, in place of a shorter time in line
      # @param begun [Float] when the attempt began, on the clock of Waiting.now: one that began before the caller came is none of its own
      # @return [Boolean] whether it goes on
      def outlasts?(error, most, begun = Float::INFINITY)
        return false unless error.is_a?(Error) && error.retriable?
        return false unless @first_since&.>(begun) || go_on(most)

        @outlasted = error
        true
      end

      # @return [Boolean] whether it was called before: another caller has taken the room since
      def called? = @called

      # @return [Boolean] whether it has stood in line before
      def lined_up_before? = !@first_since.nil?

      # @return [Boolean] whether it has waited for as long as it may
      def deadline_passed? = !@expires_at.nil? && Waiting.now >= @expires_at

      # @return [Boolean] whether it stands in line
      def lined_up? = @lined_up

      # Parks the caller, which stands in line from now on.
      #
      # @param most [Float] seconds that it waits in all
      def line_up(most)
        @since = Waiting.now
        @first_since ||= @since
        @expires_at ||= [[@since + most, @outlasts_until].compact.max, @request.deadline].compact.min
        @sleeps_until = @since + [LONGEST_SLEEP, (@expires_at - @since) / 2].min
        @trunk = nil
        @lined_up = true
        @told = false
        @request.park
        self
      end

      # Parks the caller again, after the clock has woken it.
      #
      # @return [Boolean] false: it is called, or has waited for long enough
      def stay
        staying = @lined_up && !deadline_passed?
        @told = false
        @sleeps_until = [Waiting.now + LONGEST_SLEEP, @expires_at].min
        @request.park if staying
        staying
      end

      # Gives the caller the wake-up that it is owed. The calling fiber itself does not sleep: it ends connections of dropped callers on its way to
      # sleep, and may be the one that is called then.
      def wake
        @told = @request.fiber.equal?(Fiber.current)
        @request.wake unless @told
      end

      # @return [Boolean] whether the calling fiber has called itself since it parked
      def told? = @told

      # Gives up the trunk that was kept for the caller.
      def leave_unused
        @trunk&.leave_unused(@request)
      end

      # Takes a caller that will not come out of line, and gives the trunk that was kept for it to others. If the caller goes on after all, it
      # looks for a trunk again.
      def forget
        @trunk&.state&.deactivate(@request)
        @trunk = nil
        leave
      end

      def called
        @called = true
        @lined_up = false
        self
      end

      def leave
        @lined_up = false
        self
      end

      # @return [Boolean] whether it is a fiber that blocks the thread of its scheduler: the other fibers there cannot give back now what they hold
      def blocks_its_scheduler? = @scheduler.nil? && !Fiber.scheduler.nil?

      private

      def go_on(most)
        @outlasts_until ||= Waiting.now + most
        @expires_at &&= [[@expires_at, @outlasts_until].max, @request.deadline].compact.min
        Waiting.now < @outlasts_until
      end
    end

    # @param calls [UnansweredCalls] of all lines
    def initialize(calls = UnansweredCalls.new)
      @calls = calls
      @entries = []
    end

    def empty? = @entries.empty?
    def size = @entries.size
    def first = @entries.first

    # The first one waits at the end of another line from now on.
    def hand_over_to(other) = other.entries.push(@entries.shift)

    # One that was called and outrun, or taken for dropped, stands where it stood: before those that came later.
    #
    # @param most [Float] seconds that the caller waits in all
    def join(entry, most)
      again = entry.lined_up_before?
      entry.line_up(most)
      later = @entries.index { |other| other.first_since > entry.first_since } if again
      @entries.insert(later || -1, entry)
    end

    # @return [Entry, nil] nil: it is not in line any more
    def leave(entry) = entry.lined_up? ? @entries.delete(entry.leave) : nil

    # Takes the first out, and with it those that can go with it: that share, and have its scheduler.
    #
    # @param most [Integer] how many in all
    # @return [Array<Entry>] those that were asleep, and are owed a wake-up
    def call_first(most)
      head = first
      call(most) { |entry| entry.equal?(head) || (!head.alone? && entry.scheduler.equal?(head.scheduler)) }
    end

    # Takes the first out, for which the trunk is kept.
    #
    # @return [Entry, nil] the same, where it was asleep: it is owed a wake-up
    def call_to(trunk)
      entry = @entries.shift
      entry.trunk = trunk
      @calls.add(entry)
      entry if entry.called.request.wake_up
    end

    # Takes out the entries whose requests the trunk takes: these are active from then on.
    #
    # @param most [Integer] how many in all
    # @return [Array<Entry>] those that were asleep, and are owed a wake-up
    def call_for(trunk, most) = call(most) { |entry| entry.trunk = trunk if trunk.state.enter(entry.request) }

    # Takes all out.
    #
    # @return [Array<Entry>] those that were asleep, and are owed a wake-up
    def call_all = call(size) { true }

    # Takes those out that do not go on waiting.
    #
    # @param failure [Exception] why no trunk could be opened
    # @param begun [Float] when that attempt began, on the clock of Waiting.now
    # @param most [Float] seconds that one goes on, from the first failure
    # @return [Array<Entry>] those that were asleep, and are owed a wake-up
    def call_failed(failure, begun, most) = call(size) { |entry| entry.failure = failure unless entry.outlasts?(failure, most, begun) }

    # @return [Entry, nil] the first, which stays in line, where it was asleep: it is owed a wake-up
    def rouse_first = (first if first&.request&.wake_up)

    # Takes those out that will not come.
    def forget = @entries.reject! { |entry| yield(entry) && entry.forget }

    protected

    attr_reader :entries

    private

    def call(most)
      called = []
      passed = []
      (yield(@entries.first) ? called : passed).push(@entries.shift) until called.size == most || @entries.empty?
      @entries = passed.concat(@entries) unless passed.empty?
      called.each { |entry| @calls.add(entry) }.select { |entry| entry.called.request.wake_up }
    end
  end
  private_constant :WaitingLine
end
