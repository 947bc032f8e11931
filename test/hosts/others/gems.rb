# frozen_string_literal: true

# The tests of a gem that uses ActiveRecord or Sequel on the stock adapter, on this library's by one line in the Gemfile, and with `adapter: trunkline`:
# rake "hosts:gem[ancestry,/path/of/ancestry]"
#
# The folder is a checkout of the gem. gems/suites has what each gem's tests need, and the tests that differ, with their reasons. It fails where a
# test fails that passes on the stock adapter and has no reason, and where one with a reason does not. The last line is the row of the table in
# guides/tested-gems.md.
#
#   MODES=adapter    that mode and the stock one alone
#   SEED=1           of the tests' order
#   VERBOSE=1        prints what fails on the stock adapter, too

require_relative "gems/comparison"
require_relative "gems/suite"

suite = GemSuite.load(ENV.fetch("NAME"), ENV.fetch("FOLDER"), seed: Integer(ENV.fetch("SEED", "1")))
modes = suite.modes & ["stock", *ENV.fetch("MODES", GemSuite::MODES.keys.join(",")).split(",")]
reports = modes.to_h do |mode|
  report = suite.run(mode)
  puts "#{mode}: #{report.totals}"
  puts report.unexpected.map { |name, message| "#{name}: #{message}" } if ENV["VERBOSE"]
  [mode, report]
end
comparison = GemComparison.new(suite, reports)
puts comparison.problems, comparison.row
exit comparison.problems.empty?
