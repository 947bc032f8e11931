# frozen_string_literal: true

# The places in the client where a thread can be interrupted: the end of each of its methods and blocks, where Ruby checks for interrupts. At each
# place it is interrupted once.
class Places
  # The number of innermost frames that identify a place.
  FRAMES = 2
  CLIENT = File.expand_path("../../lib/trunkline", __dir__)
  private_constant :FRAMES, :CLIENT

  # @return [String, nil] the newest one
  attr_reader :last

  def initialize
    @seen = {}
  end

  # @return [Integer]
  def count = @seen.size

  # Runs the block, and interrupts the calling thread at the first new place. Where the client masks interrupts, the interrupt comes at its next
  # sleep, or at the end of the mask.
  #
  # @param exception [Class]
  # @return [Boolean] whether there was one
  def interrupt(exception, &block)
    struck = false
    trace = TracePoint.new(:return, :b_return) do |point|
      next if struck || !point.path.start_with?(CLIENT) || !new?(caller_locations(1, FRAMES).join(" "))

      struck = true
      Thread.current.raise(exception)
    end
    trace.enable(target_thread: Thread.current, &block)
    struck
  rescue exception
    true
  end

  private

  def new?(place) = !@seen.key?(place) && @seen[@last = place] = true
end
