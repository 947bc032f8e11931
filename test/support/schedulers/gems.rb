# frozen_string_literal: true

# The schedulers that there are as gems.
module SchedulerGems
  # Names of libraries, and what makes a scheduler in the thread that is to have it.
  ALL = {
    "async" => -> { Async::Scheduler.new },
    "evt" => -> { Evt::Scheduler.new },
    "fiber_scheduler" => -> { FiberScheduler.new },
    "libev_scheduler" => -> { Libev::Scheduler.new },
    "itsi/scheduler" => -> { Itsi::Scheduler.new }
  }.freeze

  # Itsi's needs a newer Ruby.
  HERE = ALL.select { |library, _| RUBY_VERSION >= "3.3" || library != "itsi/scheduler" }.freeze

  module_function

  # Runs the block as a fiber of a new scheduler, in a thread of its own, until all fibers have ended.
  # @param library [String] a key of HERE
  # @param limit [Numeric] seconds until it is taken for a hang
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
