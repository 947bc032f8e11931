# frozen_string_literal: true

# A scheduler's timers, earliest first. A removed timer is deleted at once, so none accumulate.
class Timers
  # One action at one time of the monotonic clock; the number orders equal times by their addition.
  Timer = Struct.new(:time, :number, :action) do
    include Comparable

    def <=>(other)
      [time, number] <=> [other.time, other.number]
    end
  end

  # @return [Float] seconds of the monotonic clock
  def self.now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def initialize
    @timers = []
    @count = 0
  end

  # Calls the block once, `seconds` from now, when {#fire} is next called after that.
  #
  # @return [Timer] what {#remove} takes
  def after(seconds, &action)
    timer = Timer.new(Timers.now + seconds, @count += 1, action)
    @timers.insert(position(timer), timer)
    timer
  end

  # Deletes a timer; does nothing if it has fired or was removed before.
  def remove(timer)
    index = position(timer)
    @timers.delete_at(index) if @timers[index].equal?(timer)
  end

  # @return [Float, nil] seconds until the earliest timer, never negative; nil when there is none
  def interval
    @timers.empty? ? nil : [@timers.first.time - Timers.now, 0].max
  end

  # Runs every action that is due.
  def fire
    now = Timers.now
    @timers.shift.action.call while !@timers.empty? && @timers.first.time <= now
  end

  def empty?
    @timers.empty?
  end

  private

  def position(timer)
    @timers.bsearch_index { |other| other >= timer } || @timers.size
  end
end
