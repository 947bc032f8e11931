# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # Fibers that were called out of a line and have not come yet, by their event loops. One whose fibers do not come within a second has been dropped
  # by a thread that asks nothing more, which no other thread can find out, or is blocked: others pass its fibers. Plain threads come, or have
  # left. The pool's lock is held around each call but {#any_overdue?}.
  class UnansweredCalls # :nodoc:
    # Seconds within which an event loop has a fiber go on that was called. A turn of a busy loop takes some hundredths of one.
    LONGEST = 1.0
    private_constant :LONGEST

    # entries:: of the fibers, called and not here
    # since:: when the first of them was called, or a fiber of the same event loop came
    Calls = Struct.new(:entries, :since)
    private_constant :Calls

    def initialize
      @of_scheduler = {}.compare_by_identity
    end

    # The caller of the entry is called.
    def add(entry)
      scheduler = entry.scheduler or return
      calls = @of_scheduler[scheduler] ||= Calls.new({}.compare_by_identity, Waiting.now)
      calls.entries[entry] = true
    end

    # The caller of the entry is here, whether it was called or not: its event loop goes on.
    def answered(entry)
      calls = @of_scheduler[entry.scheduler] or return
      calls.since = Waiting.now
      calls.entries.delete(entry)
      @of_scheduler.delete(entry.scheduler) if calls.entries.empty?
    end

    # @return [Array<Fiber::Scheduler>] event loops from which called fibers have not come for too long; never that of the calling fiber
    def overdue = others.select { |_, calls| Waiting.now >= calls.since + LONGEST }.map(&:first)

    # @return [Boolean] whether {#overdue} has any; the lock need not be held
    def any_overdue? = !@of_scheduler.empty? && overdue.any?

    # @return [Float, nil] when there will be one, on the clock of Waiting.now; nil: no fibers are called
    def due = others.map { |_, calls| calls.since + LONGEST }.min

    # Forgets the entries that the block chooses.
    #
    # @return [Array<WaitingLine::Entry>]
    def take_out(&chosen)
      entries = @of_scheduler.each_value.flat_map { |calls| calls.entries.keys }.select(&chosen)
      entries.each { |entry| forget(entry) }
    end

    private

    # A copy: without the lock, calls come and go while one looks through them.
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
