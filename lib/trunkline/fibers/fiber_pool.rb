# frozen_string_literal: true

require_relative "../trunk/waiting"
require_relative "task"

module Trunkline
  # Reusable fibers for many blocks: at most `size` of them run at once, and a caller that spawns more waits for a free one. Within a block everything
  # happens in order; while it waits, the others run.
  #
  #   pool = Trunkline::FiberPool.new(50)
  #   pool.run do
  #     100.times { |id| pool.spawn { db.query("SELECT * FROM users WHERE id = $1", id) } }
  #   end
  #
  # It works in any event loop (Fiber::Scheduler). Its fibers are created when they are first needed, stay as long as there is work, and end with it,
  # so that an event loop can end too.
  class FiberPool
    # The fiber-local variable with a fiber's pool.
    POOL_VARIABLE = :trunkline_fiber_pool
    private_constant :POOL_VARIABLE

    # @return [Integer] how many blocks run at once, at most
    attr_reader :size

    # @param size [Integer] the most fibers
    # @raise [ArgumentError] size is not a positive Integer
    def initialize(size = 50)
      raise ArgumentError, "the size must be a positive Integer, not #{Argument.shown(size)}" unless Argument.is?(size, Integer) && size.positive?

      @size = size
      begin_anew
    end

    # Has one of the fibers run the block, soon. While all are busy the caller waits for one; a fiber of the pool itself runs the block at once, as it
    # could wait for ever.
    #
    # @return [Task] whose value is what the block returns
    # @raise [ArgumentError] no block
    # @raise [Error] there is no event loop here, or the pool is used in another one
    def spawn(&block)
      raise ArgumentError, "spawn needs a block" unless block

      join_scheduler
      task = Task.new(self, block)
      if full?
        return run_here(task) if in_pool_fiber?

        wait_for_room while full?
      end
      @queue.push(task)
      call_a_fiber unless @coming
      task
    end

    # Waits until every block has ended.
    #
    # @return [self]
    # @raise [Exception] the first exception of a block that no caller has received from its {Task}; others are raised by the next calls
    # @raise [Error] a fiber of the pool cannot wait for itself
    def wait
      raise Error, "a block in the pool cannot wait for all of the pool: wait for single tasks by Task#value" if in_pool_fiber?

      sleep_among(@waiting, Waiter.new) until out_of_work?
      raise @errors.shift unless @errors.empty?

      self
    end

    # Runs the block in the current event loop, or else in one of Async's, and waits for all that it has spawned.
    #
    # @yieldparam pool [FiberPool] this one
    # @return [Object] what the block has returned
    # @raise [Exception] as {#wait}
    # @raise [Error] there is no event loop, and no async gem to start one
    def run
      raise ArgumentError, "run needs a block" unless block_given?

      in_event_loop do
        result = yield self
        wait
        result
      end
    end

    # @return [String]
    def inspect = "#<#{self.class} size=#{@size} fibers=#{@fibers} busy=#{@busy} queued=#{@queue.size}>"

    # A caller receives the error from its task.
    def claim(error) # :nodoc:
      @errors.delete_if { |unclaimed| unclaimed.equal?(error) }
      error
    end

    private

    def begin_anew
      @scheduler = @thread = nil
      @queue = []
      @idle = []
      @waiting = []
      @spawners = []
      @errors = []
      @expected = []
      @fibers = @busy = 0
      @coming = nil
    end

    def in_event_loop(&block)
      return yield if Fiber.current_scheduler

      begin
        require "async"
      rescue LoadError
        raise Error, "there is no event loop here: add the async gem to the Gemfile, or call this from a fiber of an event loop"
      end
      Sync(&block)
    end

    # All fibers of a pool are in one event loop. The state of a dead thread is discarded.
    def join_scheduler
      scheduler = Fiber.current_scheduler
      return if scheduler.equal?(@scheduler) && scheduler

      raise Error, "there is no event loop here: use run { }, which brings one" unless scheduler
      begin_anew unless @thread&.alive?
      raise Error, "the pool works in another event loop" unless out_of_work?

      @scheduler = scheduler
      @thread = Thread.current
    end

    def in_pool_fiber? = Thread.current[POOL_VARIABLE].equal?(self)
    def full? = @queue.size + @busy >= @size
    def out_of_work? = @queue.empty? && @busy.zero? && @expected.empty?

    # The queue is never longer than there are free fibers. One is called at a time: when it takes a block and more are left, it calls the next. So
    # blocks that do not wait do not cost a switch each.
    def call_a_fiber
      @coming = true
      start_fiber if @idle.empty?
    ensure
      @coming = @idle.pop # also if the caller is interrupted meanwhile
      @coming.wake_if_parked if @coming
    end

    # Async makes the fiber that starts another one its parent, and would stop both together.
    def start_fiber
      scheduler = Fiber.scheduler
      return Fiber.schedule { work } unless defined?(Async::Scheduler) && scheduler.is_a?(Async::Scheduler)

      Async::Task.run(scheduler) { work }
    end

    def work
      Thread.current[POOL_VARIABLE] = self
      @fibers += 1
      waiter = Waiter.new
      loop do
        sleep_among(@idle, waiter)
        break if finished?(waiter)
      end
    ensure
      @fibers -= 1
      leave(waiter)
    end

    # Runs queued blocks. True: no block is queued or running.
    def finished?(waiter)
      @coming = nil if @coming.equal?(waiter)
      perform(@queue.shift) until @queue.empty?
      make_room
      out_of_work?
    end

    def perform(task)
      @busy += 1
      call_a_fiber unless @coming || @queue.empty?
      task.perform
    ensure
      @busy -= 1
      conclude(task)
    end

    def conclude(task)
      @errors.push(task.error) if task.error
      wake_all(@waiting) unless @waiting.empty? || !out_of_work?
    end

    def run_here(task)
      task.perform
      task
    ensure
      conclude(task)
    end

    # The last one to end ends the idle ones; one that ends early leaves its work to another.
    def leave(waiter)
      @coming = nil if @coming.equal?(waiter)
      call_a_fiber unless @coming || @queue.empty?
      wake_all(@idle) if out_of_work?
    end

    # A called fiber may come back with more blocks, so none ends meanwhile.
    def make_room
      return if full? || @spawners.empty?

      @expected.push(@spawners.shift)
      @expected.last.wake_if_parked
    end

    def wait_for_room
      waiter = Waiter.new
      sleep_among(@spawners, waiter)
      arrived = true
    ensure
      @expected.delete(waiter)
      return_room unless arrived
    end

    def return_room
      make_room
      [@idle, @waiting].each { |sleepers| wake_all(sleepers) } if out_of_work?
    end

    def sleep_among(sleepers, waiter)
      sleepers.push(waiter.park)
      Waiting.park(waiter)
    ensure
      sleepers.delete(waiter)
    end

    def wake_all(waiters) = waiters.dup.each(&:wake_if_parked)
  end
end
