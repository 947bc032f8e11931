# frozen_string_literal: true

module Trunkline
  # Keeps threads apart for some lines that never wait. A fiber that finds it taken does not sleep on it, as it would on a
  # Mutex: the wake-up could come when the fiber waits for something else.
  class Lock # :nodoc:
    # @param mutex [Mutex] one that others may sleep on
    def initialize(mutex = Mutex.new)
      @mutex = mutex
    end

    # Interrupting the holder of the lock would leave half a change behind.
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
