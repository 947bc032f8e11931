# frozen_string_literal: true

require_relative "lock"
require_relative "waiting"

module Trunkline
  # A mutex for blocks that may wait: one caller runs its block; the others, fibers of any scheduler and threads, sleep until it is their turn.
  class Turn # :nodoc:
    def initialize
      @lock = Lock.new
      @taken = false
      @waiting = []
    end

    # Runs the block exclusively.
    #
    # @param deadline [Float, nil] on the clock of Waiting.now
    # @return [Object, nil] what the block returned; nil: the deadline has passed first
    def take(deadline = nil)
      Waiting.undisturbed do
        wait(deadline) until (mine = claim) || (deadline && Waiting.now >= deadline)
        yield if mine
      ensure
        pass_on if mine
      end
    end

    private

    def claim = @lock.synchronize { @taken ? false : @taken = true }

    def wait(deadline)
      waiter = Waiter.new.park
      @waiting.push(waiter)
      @taken ? Waiting.park(waiter, deadline) : Waiting.unpark(waiter)
    ensure
      @waiting.delete(waiter)
    end

    # Wakes all of them: one that was interrupted meanwhile could not wake the next.
    def pass_on
      @taken = false
      @waiting.dup.each(&:wake_if_parked)
    end
  end
  private_constant :Turn
end
