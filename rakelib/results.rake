# frozen_string_literal: true

desc "Write bench/results/report.html and missed.md from the results that are saved there"
task :results do
  require_relative "../bench/support/results_page"

  puts Trunkline::Bench::MissedFigures.new.write, Trunkline::Bench::ResultsPage.new.write
end
