# frozen_string_literal: true

require "weakref"
require_relative "attendance"
require_relative "fiber_owner"
require_relative "lock"
require_relative "waiting"

module Trunkline
  # A mutex for blocks that may wait: one caller runs its block; the others, fibers of any scheduler and threads, sleep until it is their turn. A
  # fiber whose event loop drops it within its block has it no longer.
  class Turn # :nodoc:
    # One caller's turn. A fiber that was taken for dropped may run on after all: then another has taken the turn, and it changes nothing more.
    class Holder
      # @param turn [Turn]
      def initialize(turn)
        @turn = turn
        @attendance = Attendance.new(FiberOwner.new)
      end

      # The caller runs its block. One that waits there for long calls this at least once a second.
      def renew = @attendance.renew

      # @return [Boolean] whether the caller still has the turn
      def held? = @turn.held_by?(self)

      # @return [Boolean] see {Attendance#dropped?}
      def dropped? = @attendance.dropped?
    end
    private_constant :Holder

    def initialize
      @lock = Lock.new
      @holder = nil
      @waiting = {}.compare_by_identity # WeakRefs of waiting callers, which can be collected when their event loop drops them
    end

    # Runs the block exclusively.
    #
    # @param deadline [Float, nil] on the clock of Waiting.now
    # @yieldparam holder [#renew, #held?]
    # @return [Object, nil] what the block returned; nil: the deadline has passed first
    def take(deadline = nil)
      Waiting.without_interrupts do
        wait(deadline) until (mine = claim) || (deadline && Waiting.now >= deadline)
        yield mine if mine
      ensure
        pass_on(mine) if mine
      end
    end

    # @param holder [Holder]
    # @return [Boolean] whether it has the turn
    def held_by?(holder) = @holder.equal?(holder)

    private

    def claim = @lock.synchronize { taken? ? nil : @holder = Holder.new(self) }

    def taken?
      holder = @holder
      !holder.nil? && !holder.dropped?
    end

    def wait(deadline)
      waiter = Waiter.new.park
      reference = WeakRef.new(waiter)
      @lock.synchronize { @waiting[reference] = true }
      taken? ? Waiting.park(waiter, Waiting.next_check(deadline)) : Waiting.unpark(waiter)
    ensure
      @lock.synchronize { @waiting.delete(reference) }
    end

    # Wakes all of them: one that was interrupted meanwhile could not wake the next. A caller that runs on after it was dropped has passed it on.
    def pass_on(mine)
      woken = @lock.synchronize do
        @holder = nil if held_by?(mine)
        @waiting.keys.tap { @waiting.clear }
      end
      woken.each { |reference| wake(reference) }
    end

    def wake(reference)
      reference.__getobj__.wake_if_parked
    rescue WeakRef::RefError
      nil # its event loop has dropped it
    end
  end
  private_constant :Turn
end
