# frozen_string_literal: true

# What came of a suite of tests, beside what is known.
class SuiteReport
  OUTCOMES = { "F" => :failures, "E" => :errors, "S" => :skips }.freeze
  LAST = 3000 # characters of what a process has printed
  private_constant :OUTCOMES, :LAST

  # @return [Hash{Symbol => Integer}] runs, assertions, failures, errors and skips
  attr_reader :totals

  # @return [Array<String>] "Suite#test" of those that failed
  attr_reader :failed

  # @return [Array<String>] "Suite#test" of those that were left out
  attr_reader :left_out

  # @return [Hash{String => String}] what failed though it may not, by its name, and which files did not come to their end
  attr_reader :unexpected

  # @param excluded [Hash{String => String}] reasons by "Suite#test"
  def initialize(excluded)
    @excluded = excluded
    @totals = Hash.new(0)
    @failed = []
    @left_out = []
    @unexpected = {}
  end

  # @param files [Array<String>]
  # @param output [String] what their tests have printed
  # @param entries [Array<Hash>] of their {SuiteJournal}
  def add(files, output, entries)
    entries.each { |entry| count(entry) if entry[:ends] }
    return @left_out.concat(entries.last[:left_out]) if entries.last&.key?(:over)

    @unexpected["#{files.first} to #{files.last}"] = "did not come to their end#{hanging(entries)}: #{output[-LAST..] || output}"
  end

  private

  def count(entry)
    { runs: 1, assertions: entry[:assertions], OUTCOMES.fetch(entry[:as], :passed) => 1 }.each { |name, number| @totals[name] += number }
    failure(*entry.values_at(:ends, :message)) if %w[F E].include?(entry[:as])
  end

  def failure(name, message)
    @failed << name
    @unexpected[name] = message unless @excluded.key?(name)
  end

  def hanging(entries)
    begun = entries.last&.fetch(:begins, nil)
    ", in #{begun}" if begun
  end
end
