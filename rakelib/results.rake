# frozen_string_literal: true

desc "Write bench/results/report.html from the results that are saved there"
task :results do
  require_relative "../bench/support/results_page"

  puts Trunkline::Bench::ResultsPage.new.write
end
