# frozen_string_literal: true

# The places where one thread may be preempted by another: wherever the client calls or returns. At each place the thread stops once, each time it
# runs at another one, until others have run as far as they can.
class Switches
  EVENTS = %i[call return b_call b_return c_call c_return].freeze
  # The number of innermost frames that identify a place.
  FRAMES = 2
  CLIENT = File.expand_path("../../lib/trunkline", __dir__)
  # Seconds in which the others do something, unless they wait for this one; and in how many parts they are checked.
  LONGEST = 0.002
  LOOKS = 4
  private_constant :EVENTS, :FRAMES, :CLIENT, :LONGEST, :LOOKS

  # @return [String, nil] the newest one
  attr_reader :last

  # @param most [Integer] places of one run
  # @param progress [#call] how far the others are: it changes while they run
  def initialize(most: 1, &progress)
    @most = most
    @progress = progress
    @seen = {}
  end

  # @return [Integer]
  def count = @seen.size

  # Runs the block, and lets others run at the first places that are new.
  #
  # @return [Boolean] whether there was one
  def switch(&block)
    before = count
    trace = TracePoint.new(*EVENTS) do |point|
      next if count == before + @most || !point.path.start_with?(CLIENT)

      give_way if new?("#{point.event} #{point.method_id} #{caller_locations(1, FRAMES).join(" ")}")
    end
    trace.enable(target_thread: Thread.current, &block)
    count > before
  end

  private

  def new?(place) = !@seen.key?(place) && @seen[@last = place] = true

  # Lets another thread run while this one sleeps; returns at once if none can.
  def give_way
    start = @progress.call
    LOOKS.times do
      sleep(LONGEST / LOOKS)
      return if @progress.call >= start + 2
    end
  end
end
