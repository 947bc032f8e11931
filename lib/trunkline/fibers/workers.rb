# frozen_string_literal: true

require_relative "../errors"
require_relative "../trunk/deadlines"
require_relative "../trunk/lock"
require_relative "../trunk/waiting"
require_relative "carried_state"
require_relative "job"

module Trunkline
  # A few threads for work that would block an event loop: the fiber waits, the others run. Threads are started when they are needed, and then kept.
  class Workers
    # @return [Integer] how many threads, at most
    attr_reader :threads

    # @return [Integer] how many blocks wait for one, at most
    attr_reader :queue

    # @param threads [Integer] how many blocks run at once, at most
    # @param queue [Integer] how many wait, at most
    # @raise [ArgumentError] a number is out of range
    def initialize(threads: 4, queue: 256)
      raise ArgumentError, "threads must be a positive Integer, not #{Argument.shown(threads)}" unless Argument.is?(threads, Integer) && threads.positive?
      raise ArgumentError, "queue must be an Integer of at least 0, not #{Argument.shown(queue)}" unless Argument.is?(queue, Integer) && !queue.negative?

      @threads = threads
      @queue = queue
      begin_anew
    end

    # Runs the block on one of the threads, while the calling fiber waits. A block that has not begun is dropped when its caller leaves or its
    # deadline passes; one that has begun runs to its end, and its result is discarded.
    #
    # @param deadline [Numeric, nil] seconds from now for waiting and running; that of {Trunkline.deadline} applies too
    # @return [Object] what the block returns
    # @raise [Exception] what the block raises
    # @raise [Deadline] it was not finished in time; `sent?` tells whether it had begun
    # @raise [Overloaded] too many wait already
    def run(deadline: nil, &block)
      job = Job.new(CarriedState.capture(block))
      Deadlines.hold(deadline && Deadlines.in(deadline)) do
        enqueue(job)
        job.sleep_until_done(Deadlines.present)
      end
      raise deadline_error(job) unless job.done?

      job.value
    ensure
      withdraw(job) if job
    end

    # @return [String]
    def inspect = "#<#{self.class} threads=#{@started.size}/#{threads} busy=#{@busy} queued=#{@queued}>"

    private

    def begin_anew
      @generation = Trunkline.process_generation
      @lock = Lock.new
      @jobs = Thread::Queue.new
      @started = []
      @busy = @queued = 0
    end

    # A forked child has none of its parent's threads.
    def enqueue(job)
      begin_anew unless @generation == Trunkline.process_generation
      @lock.synchronize do
        raise Overloaded, overload if @busy + @queued >= threads + queue

        @queued += 1
        start_if_needed
      end
      @jobs.push(job)
    end

    # Called with the lock held.
    def start_if_needed
      @started << Thread.new { work } if @started.size < threads && @busy + @queued > @started.size
    end

    def overload = "#{@busy} blocks run on #{threads} threads and #{@queued} wait for their turn, which is the limit: try again later"

    # @return [Boolean] whether this call prevents it from beginning
    def withdraw(job)
      job.withdraw && @lock.synchronize { @queued -= 1 } && true
    end

    def deadline_error(job)
      return Deadline.new("the deadline has passed before the block began: it will not") if withdraw(job)

      Deadline.new("the deadline has passed while the block ran: it goes on, and its result is lost", sent: true)
    end

    # A thread inherits the interrupt mask of the thread that starts it, with which it could not even be ended with the program. A block may end its
    # thread; then another replaces it, at once if a block that was enqueued meanwhile waits for this one.
    def work
      Thread.current.name = "trunkline worker"
      Thread.handle_interrupt(Object => :immediate) do
        loop do
          job = @jobs.pop
          perform(job) if job.begin
        end
      end
    ensure
      @lock.synchronize do
        @started.delete(Thread.current)
        start_if_needed
      end
    end

    # The caller, which may enqueue its next block at once, is woken last: this thread is free for that by then.
    def perform(job)
      @lock.synchronize do
        @queued -= 1
        @busy += 1
      end
      job.perform
    ensure
      begin
        @lock.synchronize { @busy -= 1 }
      ensure
        job.finish
      end
    end
  end
end
