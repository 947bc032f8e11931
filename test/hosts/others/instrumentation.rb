# frozen_string_literal: true

# What libraries that watch ActiveRecord or PG::Connection report of a small Rails application, on the stock adapter and in both ways to this library's:
# rake hosts:instrumentation, or "hosts:instrumentation[bullet]"
#
# instrumentation/gems.yml has what each needs, and what differs for a reason; instrumentation/probes has what is taken of its reports. It fails where a
# report differs otherwise, or is empty. The last lines are the rows of the table in guides/rails.md.
#
#   MODES=adapter    that mode and the stock one alone
#   VERBOSE=1        prints the reports

require_relative "instrumentation/watched"

names = ENV.fetch("NAMES", "").split(",")
modes = ["stock", *ENV.fetch("MODES", "one_line,adapter").split(",")]
libraries = Watched.all.select { |one| names.empty? || names.include?(one.name) }
abort "there are #{Watched.all.map(&:name).join(", ")}" if libraries.empty?
rows = libraries.map do |library|
  comparison = library.compare(modes)
  puts library.name, comparison.reports.map { |mode, report| "#{mode}: #{JSON.pretty_generate(report)}" } if ENV["VERBOSE"]
  puts comparison.problems
  [comparison.problems.empty?, comparison.row]
end
puts rows.map(&:last)
exit rows.all?(&:first)
