# frozen_string_literal: true

require_relative "reference_scheduler"

# A scheduler that does everything the interface does not forbid, as some published ones do, and more often. Random choices come from the seed. A
# wake-up that no fiber waits for is not only recorded here: it ends whatever the fiber waits for instead.
class HostileScheduler < ReferenceScheduler
  # The exception in a cancelled fiber; no `rescue` without a class catches it.
  Cancelled = Class.new(Exception) # rubocop:disable Lint/InheritException

  # Seconds between two random actions when nothing else happens.
  WHIM = 0.001

  # @param seed [Integer] of everything random
  # @param inline [Boolean] whether `unblock` runs the fiber before it returns
  # @param spurious [Float] the probability that a blocked fiber is woken for nothing, each turn
  # @param reorder [Boolean] whether ready fibers run in random order
  # @param cancel [Float] the probability that a wait of an {#expose exposed} fiber is cancelled
  # @param forgetful [Boolean] whether a wake-up goes with the wait it was for, when an exception ends that first; else it
  #   ends the next wait of the fiber
  # @param punctual [Boolean] whether a timeout still counts between the wake-up and the fiber's turn
  # @param yielding [Boolean] whether fibers wait by Fiber.yield instead of by transfer
  # @param io_answer [Proc, nil] what `io_wait` returns for the events that came, in the place of their mask; gets the scheduler
  # @param without [Array<Symbol>] optional hooks that this scheduler lacks: :yield, :timeout_after, :closed? ...
  def initialize(seed:, inline: false, spurious: 0.0, reorder: false, cancel: 0.0, forgetful: false, punctual: false,
                 yielding: false, io_answer: nil, without: [], **options)
    super(**options)
    @random = Random.new(seed)
    @inline = inline
    @spurious = spurious
    @reorder = reorder
    @cancel = cancel
    @forgetful = forgetful
    @punctual = punctual
    @yielding = yielding
    @io_answer = io_answer
    @exposed = {}.compare_by_identity
    @doomed = {}.compare_by_identity
    without.each { |hook| singleton_class.undef_method(hook) }
  end

  def unblock(blocker, fiber)
    super
    switch_to(fiber) if @inline && Thread.current.equal?(@thread) && !core?(blocker) && woken?(fiber)
  end

  def io_wait(io, ...)
    events = super
    events && @io_answer && ours?(io) ? @io_answer.call(self) : events
  end

  # Lets the calling fiber be cancelled in the waits of the block.
  def expose
    @exposed[Fiber.current] = true
    yield
  ensure
    @exposed.delete(Fiber.current)
  end

  private

  def turn
    whims
    super
  end

  def whims
    @waits.each_value { |wait| make_ready(wait, true) if wait.kind == :block && !joins?(wait) && chance?(@spurious) }
    @doomed.keys.each { |wait| come_for(wait) if chance?(0.5) }
  end

  def come_for(wait)
    @doomed.delete(wait)
    cancel(wait.fiber, Cancelled.new("while waiting")) unless wait.finished?
  end

  def take_ready
    @reorder ? super.shuffle(random: @random) : super
  end

  def suspend(wait, timeout = nil)
    make_ready(wait, false) if @wake_ups.key?(wait.fiber)
    doom(wait) if @exposed.key?(wait.fiber) && chance?(@cancel)
    super
  ensure
    @doomed.delete(wait)
  end

  # Plans a cancel before the wait, during it, or after its end but before the fiber runs.
  def doom(wait)
    case @random.rand(3)
    when 0 then wait.waiting? ? raise(Cancelled, "before waiting") : @doomed[wait] = true
    when 1 then @doomed[wait] = true
    else wait.doomed = true
    end
  end

  def make_ready(wait, value)
    super
    cancel(wait.fiber, Cancelled.new("after waking")) if wait.doomed && !wait.finished?
  end

  def expire(wait)
    super
    wait.time_out if @punctual && wait.unblocked?
  end

  def stray(blocker, fiber, wait)
    super
    make_ready(wait, true) if wait
  end

  def finish(wait)
    super
    @wake_ups.delete(wait.fiber) if @forgetful
  end

  def woken?(fiber)
    wait = @waits[fiber]
    wait && wait.unblocked? && !wait.finished?
  end

  def switch_to(fiber)
    @yielding ? fiber.resume : super
  end

  def pause
    @yielding ? Fiber.yield : super
  end

  def patience
    return super if @spurious.zero? && @doomed.empty?

    [super, WHIM].compact.min
  end

  # From Ruby 3.2 on, a fiber that joins a thread treats any wake-up as its timeout.
  def joins?(wait)
    wait.subject.is_a?(Thread)
  end

  # Ruby's own waits for other files require a mask.
  def ours?(io) = io.is_a?(BasicSocket)

  def chance?(probability)
    probability.positive? && @random.rand < probability
  end
end
