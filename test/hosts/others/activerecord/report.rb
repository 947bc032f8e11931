# frozen_string_literal: true

# What came out on one adapter, beside what is known.
class ActiveRecordReport
  FAILURE = /^\s*\d+\) (?:Failure|Error):\n(\S+?)#(\S+?)(?: \[[^\]]*\])?:?$/
  COUNTS = %i[runs assertions failures errors skips].freeze
  private_constant :FAILURE, :COUNTS

  # @return [Hash{Symbol => Integer}] of COUNTS
  attr_reader :totals

  # @return [Array<String>] "Suite#test" of those that failed
  attr_reader :failed

  # @return [Array<String>] what failed though it is not excluded, and what did not come to its end
  attr_reader :unexpected

  # @param excluded [Hash{String => String}] reasons by "Suite#test"
  def initialize(excluded)
    @excluded = excluded
    @totals = Hash.new(0)
    @failed = []
    @unexpected = []
  end

  # @param files [Array<String>]
  # @param output [String] of their tests
  # @param numbers [Array<Integer>, nil] of COUNTS; nil: they did not come to their end
  def add(files, output, numbers)
    return note("#{files.join(" ")} did not come to their end: #{output.lines.last(15).join}") unless numbers

    COUNTS.zip(numbers) { |name, number| @totals[name] += number }
    puts "#{files.first} to #{files.last}: #{numbers.join(" ")}"
    output.scan(FAILURE) { |suite, name| failure("#{suite}##{name}") }
  end

  private

  def failure(name)
    @failed << name
    note(name) unless @excluded.key?(name)
  end

  def note(what)
    @unexpected << what
    puts "  #{what}"
  end
end
