# frozen_string_literal: true

require_relative "../suites/report"
require_relative "suite"

# ActiveRecord's own tests on one adapter: some files after others, in several places at once. Which place takes which does not matter.
class ActiveRecordRun
  FOREIGN = %r{\A(adapters/(?!postgresql/)|encryption/performance)}
  private_constant :FOREIGN

  # @param rails [String] the folder of Rails' source
  # @param adapter [String] "trunkline" or "postgresql"
  # @param chosen [Array<String>] files and folders of test/cases, without ".rb"; all that concern PostgreSQL when there are none
  # @param seed [Integer] of the tests' order
  # @param jobs [Integer] processes at once; each has a server of its own
  # @param batch [Integer] files that one process runs
  # @param patience [Numeric] seconds in which a process has to begin or end a test; it is ended otherwise
  # @param agreement [Boolean] whether ActiveRecord and the server are compared at every step: see {Agreement}
  # @raise [ArgumentError] there are no such files
  def initialize(rails, adapter, chosen: [], seed: 1, jobs: 2, batch: 30, patience: 300, agreement: false)
    @rails = rails
    @jobs = jobs
    @suite = { rails: rails, adapter: adapter, seed: seed, patience: patience, agreement: agreement }
    @batches = files(chosen).each_slice(batch).to_a
    raise ArgumentError, "there are no such tests in #{rails}" if @batches.empty?
  end

  # @param left_out [Array<String>] names of tests that do not run
  # @param excluded [Hash{String => String}] reasons by the names of those that may fail
  # @yieldparam files [Array<String>] that have run, one call after the other
  # @yieldparam output [String] what they have printed
  # @return [SuiteReport]
  def run(left_out: [], excluded: {})
    report = SuiteReport.new(excluded)
    batches = Queue.new(@batches).close
    lock = Mutex.new
    places = Array.new(@jobs) do
      place(batches, left_out) do |files, output, entries|
        lock.synchronize do
          report.add(files, output, entries)
          yield files, output if block_given?
        end
      end
    end
    places.each(&:join)
    report
  ensure
    places&.each(&:kill)&.each(&:join)
  end

  private

  def files(chosen)
    all = Dir["**/*_test.rb", base: File.join(@rails, "activerecord/test/cases")].sort.grep_v(FOREIGN)
    chosen.empty? ? all : all.select { |file| chosen.any? { |name| file == "#{name}.rb" || file.start_with?("#{name}/") } }
  end

  def place(batches, left_out)
    Thread.new do
      Thread.current.report_on_exception = false
      suite = ActiveRecordSuite.new(**@suite, left_out: left_out)
      while (files = batches.pop)
        yield files, *suite.run(files)
      end
    ensure
      suite&.stop
    end
  end
end
