# frozen_string_literal: true

module Trunkline
  # Excludes threads from each other for a few lines that never wait. A fiber that finds the lock taken does not sleep on it, as it would on a Mutex:
  # the wake-up could arrive when the fiber waits for something else.
  class Lock # :nodoc:
    # @param mutex [Mutex] one that others may sleep on
    def initialize(mutex = Mutex.new)
      @mutex = mutex
    end

    # Masks interrupts: a holder that was interrupted would leave a change half done.
    def synchronize
      Thread.handle_interrupt(Waiting::NEVER) do
        Thread.pass until @mutex.try_lock
        yield
      ensure
        @mutex.unlock if @mutex.owned?
      end
    end
  end
  private_constant :Lock
end
