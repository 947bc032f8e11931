# frozen_string_literal: true

require "timeout"
require_relative "interruptions"
require_relative "schedulers/hosts"

# Concurrent callers that interrupt each other while they wait for the client: nowhere else, for Ruby's own waits leave wake-ups behind when they are
# interrupted. A killed caller has a successor. The seed determines what each does next, and which other it interrupts; the scheduler determines how
# their steps interleave.
#
#   crowd = Crowd.new(200, seed: 42)
#   crowd.run(-> { enough? }) do |member|
#     crowd.exposed(member) { db.value("SELECT 1") }        # here an interruption may come
#   end
class Crowd
  include Interruptions

  # Exceptions of Timeout: if another interruption was pending and came first, it is raised after its own block.
  TIMEOUTS = [Timeout::Error, *(Timeout::ExitException if Timeout.const_defined?(:ExitException))].freeze
  # Exceptions that an interrupted member gets, if it was not killed.
  INTERRUPTIONS = [Cancelled, HostileScheduler::Cancelled, *TIMEOUTS].freeze
  private_constant :TIMEOUTS

  # One caller: its state, and its random numbers.
  Member = Struct.new(:number, :random, :caller, :exposed, :through)

  # @param size [Integer]
  # @param seed [Integer]
  # @param rate [Float] the probability that a member, having acted, interrupts another, and that it sets itself a time limit
  # @param ways [Array<Symbol>] of :cancel, :kill and :timeout
  # @param interrupted [Thread::Queue] takes the way of each interruption
  # @param exposure [#call] calls its block so that the scheduler may interrupt it there by itself, if it does that
  def initialize(size, seed:, rate: 0.1, ways: %i[cancel kill timeout], interrupted: Thread::Queue.new, exposure: nil)
    @members = Array.new(size) { |number| Member.new(number, Random.new((seed << 16) + number)) }
    @rate = rate
    @others, @limits = ways.partition { |way| way != :timeout }
    @exposure = exposure
    @interrupted = interrupted
    @ended = Thread::Queue.new
  end

  # Makes every member act repeatedly, until there is enough.
  #
  # @param enough [#call] whether there is
  # @yieldparam member [Member]
  # @return [self] after all have ended
  # @raise [Exception] what one of them has raised
  def run(enough, &act)
    @members.each { |member| start(member, enough, act) }
    left = @members.size
    while left.positive?
      member = @ended.pop
      member.through ? left -= 1 : succeed(member, enough, act)
    end
    self
  end

  # Runs the block so that interruptions may come, and counts those that end it.
  def exposed(member)
    member.exposed = true
    limited(member) { openly { yield } }
  rescue *INTERRUPTIONS => interruption
    @interrupted << (TIMEOUTS.any? { |timeout| timeout === interruption } ? :timeout : :cancel)
    raise
  ensure
    member.exposed = false
  end

  private

  def start(member, enough, act)
    member.caller = Caller.new { unexposed { live(member, enough, act) } }
  end

  # A killed member's successor continues with its number and its random numbers. A thread that is interrupted as it ends, because it was killed, raises the
  # interruption then: every other one is rescued where it acts.
  def succeed(member, enough, act)
    error = member.caller.error
    raise error unless killed?(error) || (member.caller.body.is_a?(Thread) && interruption?(error))

    @interrupted << :kill
    start(member, enough, act)
  end

  def killed?(error) = error.is_a?(Caller::Killed) || error.is_a?(Supervision::Abandoned) || error.is_a?(Async::Stop)

  def interruption?(error) = INTERRUPTIONS.any? { |type| type === error }

  def live(member, enough, act)
    until enough.call
      step(member, act)
      interrupt_another(member.random)
    end
    member.through = true
  ensure
    @ended << member
  end

  def step(member, act)
    act.call(member)
  rescue *INTERRUPTIONS
    nil
  end

  def interrupt_another(random)
    return unless @others.any? && random.rand < @rate

    member = @members.sample(random: random)
    way = @others.sample(random: random)
    return unless member.exposed && member.caller # a thread may be exposed before it is known here

    way == :kill ? member.caller.kill : member.caller.cancel(Cancelled.new)
  end

  # In threads, an interruption that comes too late waits for the next exposure.
  def unexposed(&block)
    Fiber.scheduler ? block.call : Thread.handle_interrupt(Object => :never, &block)
  end

  def openly(&block)
    return @exposure ? @exposure.call(block) : block.call if Fiber.scheduler

    Thread.handle_interrupt(Object => :immediate, &block)
  end

  # In threads, Timeout itself is not interrupted: of those that wait for its mutex, Ruby 3.1 wakes none any more when the one that it has just woken is
  # interrupted (in 9 of 1,500 runs of 24 threads; in none if that is not open to interruptions).
  def limited(member, &block)
    return block.call unless @limits.any? && member.random.rand < @rate

    Timeout.timeout(0.0001 + (member.random.rand * 0.01), &block)
  end
end
