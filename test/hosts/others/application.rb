# frozen_string_literal: true

# The tests of a whole application on the stock adapter, on this library's by one line in the Gemfile, and with `adapter: trunkline`:
# rake "hosts:application[redmine,/path/of/redmine]"
#
# The folder is a checkout of the application. applications/suites has what each needs, what is left out, and the tests that differ, with their
# reasons. Each mode has a copy of the checkout, changed as its user would change it, and a server of its own. It fails where a test fails that
# passes on the stock adapter and has no reason, where one with a reason does not, and where ActiveRecord once believed otherwise of a transaction
# than the server. The last line is the row of the table in guides/tested-gems.md.
#
#   MODES=adapter       that mode and the stock one alone
#   FILES=test/a,test/b those of the suite's files whose paths begin so
#   SEED=1              of the tests' order
#   VERBOSE=1           prints what fails on the stock adapter, too

require_relative "applications/suite"
require_relative "gems/comparison"

$stdout.sync = true
suite = ApplicationSuite.load(ENV.fetch("NAME"), ENV.fetch("FOLDER"), seed: Integer(ENV.fetch("SEED", "1")), chosen: ENV.fetch("FILES", "").split(","))
modes = suite.modes & ["stock", *ENV.fetch("MODES", ApplicationSuite::MODES.join(",")).split(",")]
reports = modes.to_h do |mode|
  report = suite.run(mode)
  puts "#{mode}: #{report.totals}"
  puts report.unexpected.map { |name, message| "#{name}: #{message}" } if ENV["VERBOSE"]
  [mode, report]
end
comparison = GemComparison.new(suite, reports)
puts comparison.problems, suite.changed, comparison.row
exit comparison.problems.empty? && suite.changed.empty?
