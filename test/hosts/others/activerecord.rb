# frozen_string_literal: true

# ActiveRecord's own tests, on ours or on the stock adapter: rake hosts:activerecord, or "hosts:activerecord[/path/of/rails]"
#
# The folder is that of an unpacked source of the Rails whose activerecord is in the bundle; the source package of rails in Debian
# trixie has it, and is fetched without one. Some files at a time run in a process of their own, on a private server. At the end it
# tells what failed and is not excluded; excluded.yml has the reasons. On several adapters, it writes results.md too.
#
#   ARCONN=postgresql                       the stock adapter instead; trunkline,postgresql: one after the other
#   FILES=base_test,adapters/postgresql     those files and folders of test/cases alone
#   SEED=1                                  of the order of tests
#   JOBS=2                                  processes at once; each has a server of its own
#   BATCH=1                                 files that one process runs
#   LOGS=/path                              where to keep what they print

require_relative "activerecord/page"
require_relative "activerecord/report"
require_relative "activerecord/suite"

RAILS = ENV.fetch("RAILS")
BATCH, JOBS, SEED = { "BATCH" => "30", "JOBS" => "1", "SEED" => "1" }.map { |name, default| Integer(ENV.fetch(name, default)) }

def files
  chosen = ENV.fetch("FILES", "").split(",")
  Dir["**/*_test.rb", base: File.join(RAILS, "activerecord/test/cases")].sort.select do |file|
    next false if file.start_with?("adapters/") && !file.start_with?("adapters/postgresql/")
    next false if file.start_with?("encryption/performance")

    chosen.empty? || chosen.any? { |name| file == "#{name}.rb" || file.start_with?("#{name}/") }
  end
end

def work(adapter, batches, report, lock)
  suite = ActiveRecordSuite.new(RAILS, adapter, SEED)
  while (batch = batches.pop)
    output, numbers = suite.run(batch)
    File.write(File.join(ENV["LOGS"], "#{adapter}-#{batch.first.tr("/", "-")}.log"), output) if ENV["LOGS"]
    lock.synchronize { report.add(batch, output, numbers) }
  end
ensure
  suite&.stop
end

def run(adapter, excluded)
  report = ActiveRecordReport.new(excluded)
  batches = Queue.new(files.each_slice(BATCH).to_a).close
  lock = Mutex.new
  Array.new(JOBS) { Thread.new { work(adapter, batches, report, lock) } }.each(&:join)
  puts "#{adapter}: #{report.totals}", report.unexpected
  report
end

abort "there are no such tests in #{RAILS}" if files.empty?
excluded = YAML.load_file(File.join(__dir__, "activerecord/excluded.yml")).flat_map { |suite, tests| tests.map { |name, reason| ["#{suite}##{name}", reason] } }.to_h
reports = ENV.fetch("ARCONN", "trunkline").split(",").to_h { |adapter| [adapter, run(adapter, excluded)] }
if reports.size > 1
  versions = { "rails" => File.read(File.join(RAILS, "RAILS_VERSION")).strip, "seed" => SEED, "postgresql" => ActiveRecordSuite.postgres, **Trunkline::Bench::Versions.all }
  ActiveRecordPage.write(reports, excluded, versions)
end
exit reports.slice("trunkline").values.all? { |report| report.unexpected.empty? }
