# frozen_string_literal: true

require "etc"

# Runs the parts of the tests side by side, one for each processor, and tells how far it is. Each part has servers of its own.
class TestRun
  SLOWEST = 10
  private_constant :SLOWEST

  # @param parts [Array<TestPart>] in the order in which they begin: those that take long come first
  # @param workers [Integer] parts at once
  # @param output [IO]
  def initialize(parts, workers: Etc.nprocessors, output: $stdout)
    @parts = parts
    @workers = workers
    @output = output
    @lock = Mutex.new
    @ended = []
  end

  # Runs them all, also when some fail.
  # @return [Boolean] whether all of them passed
  def run
    @output.puts "#{@parts.size} parts, #{@workers} at once"
    waiting = Queue.new(@parts).close
    Array.new(@workers) { Thread.new { work(waiting) } }.each(&:join)
    tell_slowest
    tell_failed
    tell_sum
    @parts.all?(&:passed?)
  end

  private

  def work(waiting)
    Thread.current.report_on_exception = false
    while (part = waiting.pop)
      part.run
      @lock.synchronize { tell_progress(part) }
    end
  end

  def tell_progress(part)
    @ended << part
    runs, _, failures, errors, = part.counts
    @output.puts format("[%*d/%d] %-34s %5d runs %5d s%s", @parts.size.to_s.size, @ended.size, @parts.size, part.name, runs, part.seconds.round,
                        part.passed? ? "" : "  FAILED: #{failures} failures, #{errors} errors")
    @output.flush
  end

  def tell_slowest
    slowest = @ended.map(&:times).reduce({}, :merge).max_by(SLOWEST) { |_, seconds| seconds }
    @output.puts "", "The slowest tests:", slowest.map { |test, seconds| format("%6.1f s  %s", seconds, test) }
  end

  def tell_failed = @ended.reject(&:passed?).each { |part| @output.puts "", part.report }

  def tell_sum
    sum = @ended.map(&:counts).reduce([0] * 5) { |all, counts| all.zip(counts).map(&:sum) }
    @output.puts "", format("%d runs, %d assertions, %d failures, %d errors, %d skips", *sum)
  end
end
