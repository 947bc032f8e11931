# frozen_string_literal: true

# The parts of a test run that have not begun. Parts that mostly wait are taken by workers of their own beside those that compute: the processors are
# used evenly from the beginning to the end of the run.
class TestBacklog
  # @param parts [Array<TestPart>]
  def initialize(parts)
    @parts = []
    @lock = Mutex.new
    @changed = ConditionVariable.new
    @closed = false
    add(parts)
  end

  # Adds parts: each goes before those of a higher rank.
  # @param parts [Array<TestPart>]
  def add(parts)
    @lock.synchronize do
      @parts = (@parts + parts).sort_by.with_index { |part, index| [part.rank, index] }
      @changed.broadcast
    end
  end

  # Lets {#take} return nil when no part is left: none is added any more.
  def close
    @lock.synchronize do
      @closed = true
      @changed.broadcast
    end
  end

  # Waits for a part.
  # @param waiting [Boolean] whether the worker takes only parts that mostly wait; others take these last
  # @return [TestPart, nil] nil: there are no more of them
  def take(waiting:)
    @lock.synchronize do
      @changed.wait(@lock) until (part = first(waiting)) || @closed
      @parts.delete(part)
    end
  end

  private

  def first(waiting) = waiting ? @parts.find(&:waits?) : @parts.find { |part| !part.waits? } || @parts.first
end
