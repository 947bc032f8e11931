# frozen_string_literal: true

require "etc"
require_relative "test_backlog"

# Runs the parts of the tests concurrently, and prints the progress. Each part has its own servers.
class TestRun
  SLOWEST = 10
  # Concurrent parts of any kind, for each processor. Two used the processors to 81 %, as most began with parts that wait, and ended with parts that
  # compute; three to 94 %, and then each answer was delayed for lack of a processor.
  COMPUTING = 1.5
  # And besides them parts that mostly wait: those under the hostile schedulers compute for 96 s of 576, Async's for 18 of 78, EventMachine's for 17 of 94.
  WAITING = 1
  # What a run has taken.
  Usage = Struct.new(:seconds, :processor_seconds) do
    def self.of
      before = now
      yield
      new(*now.zip(before).map { |later, earlier| later - earlier })
    end

    # Also the processor time of children that have ended, and of theirs.
    def self.now = [Process.clock_gettime(Process::CLOCK_MONOTONIC), Process.times.to_a.sum]

    def to_s = format("%d s, in which %d processors were used to %d %%", seconds, Etc.nprocessors, 100 * processor_seconds / seconds / Etc.nprocessors)
  end
  private_constant :SLOWEST, :COMPUTING, :WAITING, :Usage

  # @param parts [Array<TestPart>] by their rank they begin, those first that take long
  # @param prepared [Hash{TestPart => Array<TestPart>}] parts that begin once another has passed, which begins at once
  # @param workers [Integer] parts at once
  # @param waiting [Integer] parts that mostly wait, at once beside them
  # @param output [IO]
  def initialize(parts, prepared: {}, workers: (COMPUTING * Etc.nprocessors).ceil, waiting: WAITING * Etc.nprocessors, output: $stdout)
    @parts = parts
    @prepared = prepared
    @workers = workers
    @waiting = waiting
    @output = output
    @lock = Mutex.new
    @ended = []
  end

  # Runs all parts, also when some fail.
  # @return [Boolean] whether all of them passed
  def run
    @output.puts "#{count} parts, #{@workers + @waiting} at once"
    backlog = TestBacklog.new(@parts)
    took = Usage.of { work_off(backlog) }
    tell_slowest
    tell_failed
    tell_sum
    @output.puts took
    @ended.all?(&:passed?)
  end

  private

  def count = @parts.size + @prepared.sum { |_, parts| 1 + parts.size }

  def start(&block) = Thread.new(&block).tap { |thread| thread.report_on_exception = false }

  def work_off(backlog)
    workers = Array.new(@workers) { start { work(backlog, waiting: false) } } + Array.new(@waiting) { start { work(backlog, waiting: true) } }
    preparing = @prepared.map { |preparation, parts| start { prepare(preparation, parts, backlog) } }
    preparing.each(&:join)
    backlog.close
    workers.each(&:join)
  ensure
    [*workers, *preparing].each(&:kill) # an interrupted run begins no further parts
  end

  def work(backlog, **kind)
    while (part = backlog.take(**kind))
      end_of(part)
    end
  end

  def prepare(preparation, parts, backlog)
    end_of(preparation)
    backlog.add(parts) if preparation.passed?
  end

  def end_of(part)
    part.run
    @lock.synchronize { tell_progress(part) }
  end

  def tell_progress(part)
    @ended << part
    runs, _, failures, errors, = part.counts
    @output.puts format("[%*d/%d] %-44s %5d runs %5d s%s%s", count.to_s.size, @ended.size, count, part.name, runs, part.seconds.round,
                        (format(", %4d of a processor", part.processor_seconds.round) if part.processor_seconds), part.passed? ? "" : "  FAILED: #{failures} failures, #{errors} errors")
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
