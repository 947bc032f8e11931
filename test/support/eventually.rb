# frozen_string_literal: true

# Waits for what a server does asynchronously.
module Eventually
  # Evaluates the block repeatedly, which takes a while each time, until it is true.
  #
  # @return [Boolean] false after a minute
  def eventually
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    until (met = yield) || Process.clock_gettime(Process::CLOCK_MONOTONIC) - start > 60; end
    met
  end
end
