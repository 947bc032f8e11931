# frozen_string_literal: true

# Runs a suite of another project's tests, and tells what came of it.
module SuiteOutcome
  module_function

  # @param suite [#run] takes left_out: and returns a {SuiteReport}
  # @param left_out [Array<String>] names of tests that do not run
  # @return [Boolean] whether no other test has failed, and each of those was there to be left out
  def tell(suite, left_out)
    report = suite.run(left_out: left_out)
    stale = left_out - report.left_out
    puts report.totals, *report.unexpected.map { |name, message| "\n#{name}\n#{message}" }
    puts "#{report.left_out.size} left out"
    puts "there are no such tests to leave out: #{stale.join(", ")}" if stale.any?
    exit report.unexpected.empty? && stale.empty?
  end
end
