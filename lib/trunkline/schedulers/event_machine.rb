# frozen_string_literal: true

require "eventmachine"
require_relative "../errors"
require_relative "event_machine/wait"
require_relative "event_machine/watches"

module Trunkline
  # Event loops with the interface of Ruby's Fiber::Scheduler.
  module Schedulers
    # A Fiber::Scheduler on EventMachine's loop: while a fiber sleeps, or waits for an IO, a Queue, a process or a query, EventMachine runs its timers
    # and connections. It polls nothing.
    #
    #   EventMachine.epoll
    #   EventMachine.run do
    #     Trunkline::Schedulers::EventMachine.install
    #     Fiber.schedule { puts db.value("SELECT now()"); EventMachine.stop }
    #   end
    #
    # Callbacks of EventMachine run outside of its fibers: code that waits must be in Fiber.schedule.
    class EventMachine
      # Makes it the scheduler of the reactor's thread. Does nothing if there is a scheduler already.
      #
      # @return [Fiber::Scheduler] the one of this thread
      # @raise [Error] the reactor does not run in this thread
      def self.install
        return Fiber.scheduler if Fiber.scheduler
        raise Error, "EventMachine does not run in this thread: install its scheduler within EventMachine.run" unless EM.reactor_thread?

        Fiber.set_scheduler(new)
      end

      # Runs the reactor for as long as there are fibers: the block is the first.
      #
      # @return [Object] what the block has returned
      # @raise [Exception] what the block has raised
      def self.run(&block)
        raise Error, "EventMachine runs already: use install and Fiber.schedule" if EM.reactor_running?

        EM.epoll # epoll, like kqueue, removes a closed descriptor; without it, EventMachine would end the process
        EM.kqueue
        first = nil
        EM.run { first = install.run_until_done(&block) }
        first.call
      ensure
        Fiber.set_scheduler(nil) if Fiber.scheduler.is_a?(self)
      end

      def initialize
        @thread = Thread.current
        @loop = Fiber.current
        @watches = Watches.new(self)
        @waits = {}.compare_by_identity
        @ready = []
        @interrupted = []
        @letters = Thread::Queue.new
        @fibers = 0
        @ticking = @closed = false
      end

      # Runs the block in the first fiber, and stops the reactor when no fiber is left.
      #
      # @return [Proc] returns what the block has returned, or raises what it has raised
      def run_until_done # :nodoc:
        outcome = -> { raise Error, "the reactor was stopped before the block ended" }
        @until_done = true
        Fiber.schedule do
          result = yield
          outcome = -> { result }
        rescue Exception => error # rubocop:disable Lint/RescueException
          outcome = -> { raise error }
        end
        -> { outcome.call }
      end

      # Starts a fiber at once; the caller continues when it first waits.
      def fiber(&block)
        fiber = Fiber.new(blocking: false) { live(&block) }
        @fibers += 1
        switch_to(fiber)
        fiber
      end

      # @param timeout [Numeric, nil] seconds
      # @return [Boolean] true: unblocked; false: the timeout has passed
      def block(blocker, timeout = nil) = suspend(Wait.new(Fiber.current, blocker), timeout)

      # Safe from any thread. A fiber that does not wait for the blocker any more is not woken.
      def unblock(blocker, fiber)
        return deliver(blocker, fiber) if Thread.current.equal?(@thread)

        @letters << [blocker, fiber]
        EM.next_tick { open_letters } if EM.reactor_running?
      end

      # Gives other ready fibers, and the loop, a turn.
      def yield
        wait = Wait.new(Fiber.current, nil)
        ready(wait, true)
        suspend(wait, nil)
      end

      # Ruby also calls it for a condition variable, and for threads that use an IO which is being closed.
      def kernel_sleep(duration = nil)
        suspend(Wait.new(Fiber.current, Wait::NOTHING_NAMED), duration)
        true
      end

      # @param timeout [Numeric, nil] seconds
      # @return [Integer, false] the events that have occurred; false: the timeout has passed
      # @raise [IOError] it was closed meanwhile
      def io_wait(io, events, timeout = nil)
        return events if io.is_a?(File) && io.stat.file? # always ready, and not supported by epoll

        wait = Wait.new(Fiber.current, io, events: events)
        @watches.add(io, wait)
        suspend(wait, timeout)
      ensure
        @watches.remove(wait)
      end

      # Wakes the fibers that wait for the descriptor, and stops EventMachine from watching it.
      #
      # @return [false] Ruby closes it itself
      def io_close(descriptor)
        @watches.close(descriptor)
        false
      end

      # @return [Process::Status]
      def process_wait(pid, flags) = Thread.new { Process::Status.wait(pid, flags) }.value

      # @return [Array<String>] the addresses of the name
      def address_resolve(hostname)
        Thread.new { Addrinfo.getaddrinfo(hostname.split("%", 2).first, nil, nil, :STREAM).map(&:ip_address) }.value
      end

      # Raises in the calling fiber when the block takes longer than `duration` seconds.
      #
      # @param error [Class, Exception] older versions of Timeout pass a class, newer ones an exception
      def timeout_after(duration, error = Timeout::Error, message = "execution expired")
        fiber = Fiber.current
        timer = EM::Timer.new(duration) { raise_in(fiber, error.exception(message)) }
        yield duration
      ensure
        timer&.cancel
      end

      # Raises the exception in a waiting fiber, at its next turn.
      #
      # @return [Boolean] false: it does not wait
      def raise_in(fiber, exception)
        wait = @waits[fiber] or return false
        wait.exception = exception
        ready(wait, nil)
        true
      end

      # Ruby calls it when the thread ends. The loop is EventMachine's, and ends by itself: fibers that still wait are not resumed.
      def close
        @closed = true
        @watches.forget
      end

      # @return [Boolean]
      def closed? = @closed

      # The wait is over; its fiber is resumed at its next turn.
      def ready(wait, value) # :nodoc:
        return unless wait.end_with(value)

        @ready.push(wait)
        tick unless @ticking
      end

      # Resumes the fibers that are ready now. Those that become ready meanwhile have their turn after the loop's.
      def turn # :nodoc:
        @ticking = false
        @ready.slice!(0..).each { |wait| switch_to(wait.fiber) }
        tick unless @ready.empty? || @ticking
        EM.stop if @until_done && @fibers.zero? && EM.reactor_running?
      end

      private

      def live
        yield
      rescue SystemExit, SignalException
        raise
      rescue Exception => error # rubocop:disable Lint/RescueException
        $stderr.write("#{Fiber.current.inspect} terminated with exception:\n#{error.full_message}")
      ensure
        @fibers -= 1
        tick if @until_done && @fibers.zero?
      end

      # A timer and not next_tick, which takes a Mutex: a fiber that had to wait for it would never be woken.
      def tick
        @ticking = true
        EM.add_timer(0) { turn }
      end

      # The fiber runs until it waits or ends; then the one that has switched to it is resumed first.
      def switch_to(fiber)
        @interrupted.push(Fiber.current) unless at_loop?
        fiber.transfer
        return unless at_loop?

        while (interrupted = @interrupted.pop)
          interrupted.transfer
        end
      end

      def at_loop? = Fiber.current.equal?(@loop)

      def suspend(wait, timeout)
        timer = EM::Timer.new(round_up(timeout)) { ready(wait, false) } if timeout
        @waits[wait.fiber] = wait
        @loop.transfer
        raise wait.exception if wait.exception

        wait.value
      ensure
        @waits.delete(wait.fiber)
        wait.end_with(nil)
        timer&.cancel
      end

      # EventMachine's timers have whole milliseconds, and no fiber may be woken too early.
      def round_up(seconds) = (seconds * 1000).ceil / 1000.0

      def deliver(blocker, fiber)
        wait = @waits[fiber]
        ready(wait, true) if wait&.for?(blocker)
      end

      def open_letters
        deliver(*@letters.pop) until @letters.empty?
      end
    end
  end
end
