# frozen_string_literal: true

require_relative "../watchdog"

# Runs and supervises a test scheduler: the result of its block, the failures of its fibers, misuse, hangs.
module Supervision
  # Raised by {ClassMethods#run} when the fibers have not ended in time; the message lists what they wait for.
  Hang = Class.new(StandardError)

  # The exception that ends remaining fibers.
  Abandoned = Class.new(Exception) # rubocop:disable Lint/InheritException

  # Number of lines that are reported per wait.
  TOLD = 12
  private_constant :TOLD

  # Class methods of classes that include Supervision.
  module ClassMethods
    # Runs the block as the first fiber of a new scheduler, in a thread of its own, until every fiber has ended.
    #
    # @param limit [Float] seconds until it counts as hung
    # @yieldparam scheduler the new scheduler
    # @return what the block returns
    # @raise [Hang] after the limit
    # @raise [Exception] the first that a fiber has ended with
    def run(limit: 60, **options, &block)
      scheduler = new(**options)
      thread = Thread.new { scheduler.supervised(&block) }
      thread.report_on_exception = false
      faults = Watchdog.join(thread, limit) or return thread.value

      raise(Hang, [*faults, scheduler.report].join("\n").tap { scheduler.stop && ended?(thread, 1) })
    ensure
      thread&.kill
    end

    private

    # The exception by which a stopped thread ends does not explain why it hung.
    def ended?(thread, seconds)
      thread.join(seconds)
    rescue Exception # rubocop:disable Lint/RescueException
      true
    end
  end

  def self.included(scheduler)
    scheduler.extend(ClassMethods)
  end

  # @return [Array<String>] misuse of the scheduler, with the line it came from
  attr_reader :violations

  # Runs in the present thread what {ClassMethods#run} runs in a new one.
  def supervised
    result = nil
    Fiber.set_scheduler(self)
    Fiber.schedule do
      result = yield self
    rescue Exception # rubocop:disable Lint/RescueException
      abandon("the first fiber has failed")
      raise
    end
    Fiber.set_scheduler(nil)
    @failures.empty? ? result : raise(@failures.first)
  end

  # Ends the waiting fibers: a fiber's entries in Ruby's own queues are removed only with its stack. Safe from any thread.
  def stop
    @mailbox.post(:abandon, "the scheduler is stopped")
  end

  # @return [String] the waits of the moment, with the lines that led to them, and what went wrong before
  def report
    waits = @waits.values.map { |wait| "#{wait} at #{way_to(wait)}" }
    lines = waits.tally.map { |wait, count| "#{count} in #{wait}" }
    ["#{waits.size} fibers wait:", *lines, *@violations.uniq, *@failures.map(&:full_message)].join("\n  ")
  end

  private

  def supervise(&block)
    block.call
  rescue Abandoned
    # Ended as requested.
  rescue Exception => error # rubocop:disable Lint/RescueException
    @failures << error
  ensure
    note_left_wake_up(Fiber.current, "ends")
  end

  def abandon(reason)
    @waits.each_key { |fiber| cancel(fiber, Abandoned.new(reason)) }
  end

  def note_left_wake_up(fiber, what)
    violation("#{what} with a wake-up left behind") if @wake_ups.delete(fiber)
  end

  def inspect_io_wait(wait, timeout)
    twin = @polled.any? { |other, io| io.equal?(wait.subject) && (other.events & wait.events).positive? }
    violation("a second fiber waits for the same event of an IO") if twin
    return if !limited?(wait) || timeout.nil? || timeout.between?(0, @longest_io_wait)

    violation("waits for a socket with timeout #{timeout}, allowed are #{@longest_io_wait} s")
  end

  def limited?(wait)
    @longest_io_wait && wait.subject.is_a?(BasicSocket)
  end

  def endless?(wait, timeout)
    limited?(wait) && timeout == @longest_io_wait
  end

  def fail_closed
    @polled.each_key do |wait|
      next unless wait.waiting? && closed_io?(wait.subject)

      violation("an IO was closed while a fiber waited for it")
      cancel(wait.fiber, IOError.new("stream closed in another fiber"))
    end
  end

  def closed_io?(io)
    IO.select([io], nil, nil, 0)
    false
  rescue IOError, Errno::EBADF
    true
  end

  def violation(text)
    @violations << "#{text} (#{foreign(caller_locations)})"
  end

  # @return [Thread::Backtrace::Location, nil] the innermost line outside the schedulers
  def foreign(locations)
    locations&.find { |location| foreign?(location) }
  end

  # @return [String] the innermost lines outside the schedulers
  def way_to(wait)
    wait.fiber.backtrace_locations.to_a.select { |location| foreign?(location) }.first(TOLD).join("\n      ")
  end

  def foreign?(location) = File.dirname(location.absolute_path.to_s) != __dir__
end
