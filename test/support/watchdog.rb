# frozen_string_literal: true

require_relative "living_objects"

# Reports at once what would show as a hang much later: a caller that is parked where no caller leads, a lead that belongs to a caller that has ended,
# a connection that is shut although no caller cancels there and no fence is in flight.
class Watchdog
  # Seconds between two checks. A state found in both is not temporary.
  INTERVAL = 0.5
  TRUNK = Trunkline.const_get(:Trunk)
  private_constant :INTERVAL, :TRUNK

  # A faulty state of a connection.
  Fault = Struct.new(:trunk, :text, :requests)
  private_constant :Fault

  # Waits for the end of the thread.
  #
  # @param limit [Numeric] seconds
  # @return [Array<String>, nil] faults; empty: only the time is over; nil: the thread has ended
  def self.join(thread, limit)
    watchdog = new
    by = now + limit
    until thread.join([INTERVAL, by - now].min)
      faults = watchdog.faults
      return faults if faults.any? || now >= by
    end
  end

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def initialize
    @before = []
  end

  # @return [Array<String>] faults that the last check has found, too
  def faults
    seen = LivingObjects.of(TRUNK).flat_map { |trunk| trunk.state.nil? || trunk.loss || trunk.inherited? ? [] : faults_of(trunk) } # nil: it is being made
    lasting = seen & @before
    @before = seen
    lasting.map { |fault| "#{fault.text}: #{fault.trunk.state.snapshot}" }
  end

  private

  def faults_of(trunk)
    state = trunk.state.snapshot
    [unled(trunk, state), left_behind(trunk, state), shut_for_nothing(trunk, state)].compact
  end

  def unled(trunk, state)
    waiting = state[:parked].reject(&:done?)
    Fault.new(trunk, "a caller is parked where no caller leads", waiting) unless waiting.empty? || state[:leader] || state[:next_leader]
  end

  def left_behind(trunk, state)
    dead = state.values_at(:leader, :next_leader, :canceller).compact.select { |request| request.fiber && !request.fiber.alive? }
    Fault.new(trunk, "a caller that has ended has the lead", dead) unless dead.empty?
  end

  def shut_for_nothing(trunk, state)
    reasons = state.values_at(:canceller, :fence, :exposed, :sealed)
    Fault.new(trunk, "a connection is shut for nothing", []) if state[:shut] && reasons.none?
  end
end
