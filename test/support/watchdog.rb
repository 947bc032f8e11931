# frozen_string_literal: true

require_relative "living_objects"

# Reports at once what would show as a hang much later: a caller that is parked where no caller leads, a lead that belongs to a caller that has ended,
# a connection that is shut although no caller cancels there and no fence is in flight.
class Watchdog
  # Seconds between two checks. A state found in both is not temporary.
  INTERVAL = 0.5
  LASTING = 2
  # A caller that cancels what others have abandoned does so under the abandoned request. On a busy machine its cancel request takes more than a
  # second.
  LONG_LASTING = 20
  TRUNK = Trunkline.const_get(:Trunk)
  private_constant :INTERVAL, :LASTING, :LONG_LASTING

  # A faulty state of a connection, if so many checks in a row find it.
  Fault = Struct.new(:trunk, :text, :requests, :checks)
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
    @found = {}
  end

  # @return [Array<String>] faults that the checks before have found, too
  def faults
    seen = LivingObjects.of(TRUNK).flat_map { |trunk| trunk.state.nil? || trunk.loss || trunk.inherited? ? [] : faults_of(trunk) } # nil: it is being made
    @found = seen.to_h { |fault| [fault, @found.fetch(fault, 0) + 1] }
    lasting = @found.select { |fault, times| times >= fault.checks }.keys
    lasting.map { |fault| "#{fault.text}: #{fault.trunk.state.snapshot}" }
  end

  private

  def faults_of(trunk)
    state = trunk.state.snapshot
    [unled(trunk, state), left_behind(trunk, state), still_cancelling(trunk, state), shut_for_nothing(trunk, state)].compact
  end

  def unled(trunk, state)
    waiting = state[:parked].reject(&:done?)
    Fault.new(trunk, "a caller is parked where no caller leads", waiting, LASTING) unless waiting.empty? || state[:leader] || state[:next_leader]
  end

  def left_behind(trunk, state)
    canceller = state[:canceller]
    leading = [state[:leader], state[:next_leader], (canceller unless abandoned?(canceller))]
    dead = leading.compact.select { |request| ended?(request) }
    Fault.new(trunk, "a caller that has ended has the lead", dead, LASTING) unless dead.empty?
  end

  def still_cancelling(trunk, state)
    canceller = state[:canceller]
    Fault.new(trunk, "a cancel of what was abandoned does not end", [canceller], LONG_LASTING) if abandoned?(canceller) && ended?(canceller)
  end

  def abandoned?(request) = !request.nil? && request.done?
  def ended?(request) = request.fiber && !request.fiber.alive?

  def shut_for_nothing(trunk, state)
    reasons = state.values_at(:canceller, :fence, :exposed, :sealed)
    Fault.new(trunk, "a connection is shut for nothing", [], LASTING) if state[:shut] && reasons.none?
  end
end
