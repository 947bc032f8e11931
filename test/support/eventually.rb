# frozen_string_literal: true

# For what a server does in its own time.
module Eventually
  # Asks again and again, each time a question that takes a while.
  #
  # @return [Boolean] false after a minute
  def eventually
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    until (met = yield) || Process.clock_gettime(Process::CLOCK_MONOTONIC) - start > 60; end
    met
  end
end
