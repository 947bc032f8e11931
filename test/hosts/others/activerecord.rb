# frozen_string_literal: true

# ActiveRecord's own tests, on ours or on the stock adapter: rake hosts:activerecord, or "hosts:activerecord[/path/of/rails]"
#
# The folder is that of an unpacked source of Rails, whose own library is what runs; the source package of rails in Debian trixie has
# it, and is fetched without one. At the end it tells what failed and is not excluded; excluded.yml has the reasons. On several
# adapters it leaves none of them out, and writes results.md.
#
#   ARCONN=postgresql                       the stock adapter instead; trunkline,postgresql: one after the other
#   FILES=base_test,adapters/postgresql     those files and folders of test/cases alone
#   SEED=1                                  of the order of tests
#   JOBS=2                                  processes at once; each has a server of its own
#   BATCH=30                                files that one process runs
#   LOGS=/path                              where to keep what they print

require_relative "activerecord/exclusions"
require_relative "activerecord/page"
require_relative "activerecord/run"

RAILS = ENV.fetch("RAILS")
ADAPTERS = ENV.fetch("ARCONN", "trunkline").split(",")
BATCH, JOBS, SEED = { "BATCH" => "30", "JOBS" => "2", "SEED" => "1" }.map { |name, default| Integer(ENV.fetch(name, default)) }

def run(adapter, excluded)
  run = ActiveRecordRun.new(RAILS, adapter, chosen: ENV.fetch("FILES", "").split(","), seed: SEED, jobs: JOBS, batch: BATCH)
  report = run.run(excluded: excluded, left_out: ADAPTERS.size > 1 ? [] : ActiveRecordExclusions.different.keys) do |files, output|
    puts "#{adapter}: #{files.first} to #{files.last}"
    File.write(File.join(ENV["LOGS"], "#{adapter}-#{files.first.tr("/", "-")}.log"), output) if ENV["LOGS"]
  end
  puts "#{adapter}: #{report.totals}", report.unexpected.values
  report
end

excluded = { **ActiveRecordExclusions.different, **ActiveRecordExclusions.newer, **ActiveRecordExclusions.timed }
reports = ADAPTERS.to_h { |adapter| [adapter, run(adapter, excluded)] }
if reports.size > 1
  versions = { "rails" => File.read(File.join(RAILS, "RAILS_VERSION")).strip, "seed" => SEED, "postgresql" => ActiveRecordSuite.postgres, **Trunkline::Bench::Versions.all }
  ActiveRecordPage.write(reports, excluded, versions)
end
exit reports.slice("trunkline").values.all? { |report| report.unexpected.empty? }
