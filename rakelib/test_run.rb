# frozen_string_literal: true

require "etc"

# Runs the parts of the tests concurrently, and prints the progress. Each part has its own servers.
class TestRun
  SLOWEST = 10
  # Concurrent parts. One computes for half of its time, and waits for servers and deadlines in the other half: two for each of two processors use
  # these to 81 %. Three use them to 94 %, and then each answer is delayed for lack of a processor.
  PER_PROCESSOR = 2
  private_constant :SLOWEST, :PER_PROCESSOR

  # @param parts [Array<TestPart>] in the order in which they begin: those that take long come first
  # @param prepared [Hash{TestPart => Array<TestPart>}] parts that begin once another has passed, which begins at once
  # @param workers [Integer] parts at once
  # @param output [IO]
  def initialize(parts, prepared: {}, workers: PER_PROCESSOR * Etc.nprocessors, output: $stdout)
    @parts = parts
    @prepared = prepared
    @workers = workers
    @output = output
    @lock = Mutex.new
    @ended = []
  end

  # Runs all parts, also when some fail.
  # @return [Boolean] whether all of them passed
  def run
    @output.puts "#{count} parts, #{@workers} at once"
    waiting = Queue.new(@parts)
    workers = Array.new(@workers) { start { work(waiting) } }
    @prepared.map { |preparation, parts| start { prepare(preparation, parts, waiting) } }.each(&:join)
    waiting.close
    workers.each(&:join)
    tell_slowest
    tell_failed
    tell_sum
    @ended.all?(&:passed?)
  end

  private

  def count = @parts.size + @prepared.sum { |_, parts| 1 + parts.size }

  def start(&block) = Thread.new(&block).tap { |thread| thread.report_on_exception = false }

  def work(waiting)
    while (part = waiting.pop)
      end_of(part)
    end
  end

  def prepare(preparation, parts, waiting)
    end_of(preparation)
    parts.each { |part| waiting << part } if preparation.passed?
  end

  def end_of(part)
    part.run
    @lock.synchronize { tell_progress(part) }
  end

  def tell_progress(part)
    @ended << part
    runs, _, failures, errors, = part.counts
    @output.puts format("[%*d/%d] %-44s %5d runs %5d s%s", count.to_s.size, @ended.size, count, part.name, runs, part.seconds.round,
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
