# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # Fibers that were called from a queue and have not resumed yet, by event loop. If none of a loop's called fibers resumes within a second, the loop
  # has been dropped by a thread that makes no more calls, which no other thread can detect, or is blocked: others may overtake its fibers. Plain
  # threads are not tracked: they resume, or have left. The pool's lock is held around each call but {#any_overdue?}.
  class UnansweredCalls # :nodoc:
    # entries:: of the fibers that were called and have not resumed
    # since:: when the first of them was called, or when a fiber of the same event loop resumed last
    Calls = Struct.new(:entries, :since)
    private_constant :Calls

    def initialize
      @of_scheduler = {}.compare_by_identity
    end

    # The entry's caller has been called.
    def add(entry)
      scheduler = entry.scheduler or return
      calls = @of_scheduler[scheduler] ||= Calls.new({}.compare_by_identity, Waiting.now)
      calls.entries[entry] = true
    end

    # The entry's caller has resumed, whether it was called or not: its event loop runs.
    def answered(entry)
      calls = @of_scheduler[entry.scheduler] or return
      calls.since = Waiting.now
      calls.entries.delete(entry)
      @of_scheduler.delete(entry.scheduler) if calls.entries.empty?
    end

    # @return [Array<Fiber::Scheduler>] event loops whose called fibers have not resumed for too long; never that of the calling fiber
    def overdue = others.select { |_, calls| Waiting.now >= calls.since + Waiting::LONGEST_TURN }.map(&:first)

    # @return [Boolean] whether {#overdue} has any; the lock need not be held
    def any_overdue? = !@of_scheduler.empty? && overdue.any?

    # @return [Float, nil] when there will be one, on the clock of Waiting.now; nil: no called fiber is outstanding
    def due = others.map { |_, calls| calls.since + Waiting::LONGEST_TURN }.min

    # Removes the entries that the block selects.
    #
    # @return [Array<CallerQueue::Entry>]
    def take_out(&chosen)
      entries = @of_scheduler.each_value.flat_map { |calls| calls.entries.keys }.select(&chosen)
      entries.each { |entry| forget(entry) }
    end

    private

    # A copy: without the lock, the original may change during iteration.
    def others
      own = Fiber.current_scheduler
      @of_scheduler.to_a.reject { |scheduler,| scheduler.equal?(own) }
    end

    def forget(entry)
      entries = @of_scheduler[entry.scheduler].entries
      entries.delete(entry)
      @of_scheduler.delete(entry.scheduler) if entries.empty?
    end
  end
  private_constant :UnansweredCalls
end
