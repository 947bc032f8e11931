# frozen_string_literal: true

module Trunkline
  # Keeps threads apart for some lines that never wait. A fiber that finds it taken does not sleep on it, as it would on a
  # Mutex: the wake-up could come when the fiber waits for something else.
  class Lock # :nodoc:
    # Interrupting who holds the lock would leave half a change behind.
    UNDISTURBED = { Object => :never }.freeze
    private_constant :UNDISTURBED

    # @param mutex [Mutex] one that others may sleep on
    def initialize(mutex = Mutex.new)
      @mutex = mutex
    end

    def synchronize
      Thread.handle_interrupt(UNDISTURBED) do
        Thread.pass until @mutex.try_lock
        yield
      ensure
        @mutex.unlock if @mutex.owned?
      end
    end
  end
  private_constant :Lock
end
