# frozen_string_literal: true

# Schedulers from gems, written in Ruby. Those in C and Rust are left out: evt 0.4.0 has ended a run with a segmentation fault of its own, as it keeps
# objects that the garbage collector does not know of. Their other peculiarities are in the hostile schedulers.
module SchedulerGems
  # Names of libraries, and the code that makes a scheduler in its thread.
  ALL = {
    "async" => -> { Async::Scheduler.new },
    "fiber_scheduler" => -> { FiberScheduler.new }
  }.freeze

  module_function

  # Runs the block as a fiber of a new scheduler, in a thread of its own, until all fibers have ended.
  # @param library [String] a key of ALL
  # @param limit [Numeric] seconds until it counts as hung
  # @return what the block returns
  # @raise [Exception] what it raises
  def run(library, limit: 60)
    result = nil
    thread = Thread.new do
      $VERBOSE, verbose = nil, $VERBOSE # a library's own warnings
      require library
      Fiber.set_scheduler(ALL.fetch(library).call)
      $VERBOSE = verbose
      Fiber.schedule do
        result = [true, yield]
      rescue Exception => error # rubocop:disable Lint/RescueException
        result = [false, error]
      end
      Fiber.set_scheduler(nil)
    end
    thread.report_on_exception = false
    thread.join(limit) or raise "#{library}: fibers have not ended:\n#{thread.backtrace.join("\n")}"
    result.first ? result.last : raise(result.last)
  ensure
    thread&.kill
  end
end
