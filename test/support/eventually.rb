# frozen_string_literal: true

# Waits for what a server does asynchronously.
module Eventually
  PAUSE = 0.002 # seconds, which others have the processor for
  private_constant :PAUSE

  # Evaluates the block repeatedly until it is true. It pauses in a thread of its own, as schedulers differ in how they sleep.
  #
  # @return [Boolean] false after a minute
  def eventually
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    until (met = yield) || Process.clock_gettime(Process::CLOCK_MONOTONIC) - start > 60
      Thread.new { sleep PAUSE }.join
    end
    met
  end
end
