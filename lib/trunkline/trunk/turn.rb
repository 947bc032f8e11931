# frozen_string_literal: true

require_relative "lock"
require_relative "waiting"

module Trunkline
  # A mutex for blocks that may wait: one caller runs its block; the others, fibers of any scheduler and threads, sleep until it is their turn. A
  # fiber whose event loop drops it within its block has it no longer.
  class Turn # :nodoc:
    # Seconds after which a caller that sleeps checks whether the one that runs its block was dropped, which wakes no other.
    LOOK_EVERY = 0.5
    private_constant :LOOK_EVERY

    def initialize
      @lock = Lock.new
      @taker = nil
      @waiting = []
    end

    # Runs the block exclusively.
    #
    # @param deadline [Float, nil] on the clock of Waiting.now
    # @return [Object, nil] what the block returned; nil: the deadline has passed first
    def take(deadline = nil)
      Waiting.without_interrupts do
        wait(deadline) until (mine = claim) || (deadline && Waiting.now >= deadline)
        yield if mine
      ensure
        pass_on(mine) if mine
      end
    end

    private

    def claim = @lock.synchronize { taken? ? nil : @taker = Waiter.new }

    def taken? = !@taker.nil? && !@taker.dropped?

    def wait(deadline)
      waiter = Waiter.new.park
      @waiting.push(waiter)
      taken? ? Waiting.park(waiter, [deadline, Waiting.now + LOOK_EVERY].compact.min) : Waiting.unpark(waiter)
    ensure
      @waiting.delete(waiter)
    end

    # Wakes all of them: one that was interrupted meanwhile could not wake the next. A caller that runs on after it was dropped has passed it on.
    def pass_on(mine)
      @lock.synchronize { @taker = nil if @taker.equal?(mine) }
      @waiting.dup.each(&:wake_if_parked)
    end
  end
  private_constant :Turn
end
