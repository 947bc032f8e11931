# frozen_string_literal: true

desc "Stop, kill, freeze and promote real servers under clients with several hosts, Patroni's among them; print the gap, and the writes lost and doubled"
task failover: :compile do
  names = %w[failover_history failover_wait fencing hosts_told read_only_server role_changes moved_name several_hosts silence switchover]
  files = names.map { |name| "test/integration/#{name}_test.rb" } + ["test/hosts/failover_test.rb", *Dir["test/failover/*_test.rb"].sort]
  program = "ARGV.each { |file| require File.expand_path(file) }"
  sh({ "TRUNKLINE_FAILOVER_REPORT" => "1" }, RbConfig.ruby, "-w", "-Ilib", "-Itest", "-e", program, "--", *files, verbose: false)
end

namespace :failover do
  desc "Run so many switchovers of Patroni's leader under writers, and print how much later than another client's login they continue, and what was lost or written twice"
  task :switchovers, %i[count replication] => :compile do |_, arguments|
    require_relative "switchovers"

    found = Switchovers.new.run(Integer(arguments[:count] || 60), synchronous: arguments[:replication] == "synchronous") { |one| puts one }
    last = found.map(&:last).sort
    puts format("%<count>d switchovers: the last writer went on %<median>d ms (median), %<most>d ms (95 %%), %<worst>d ms (most) after another client's login; %<late>d late",
                count: found.size, median: last[last.size / 2] * 1000, most: last[((last.size - 1) * 0.95).round] * 1000, worst: last.max * 1000, late: found.count(&:outlier?))
    abort "writers were late, or writes failed, were lost or doubled" if found.any? { |one| one.outlier? || one.wrong? }
  end
end
