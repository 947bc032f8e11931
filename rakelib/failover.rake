# frozen_string_literal: true

desc "Stop, kill, freeze and promote real servers under clients with several hosts, Patroni's among them; tells the gap, and the writes lost and doubled"
task failover: :compile do
  names = %w[failover_history failover_wait fencing hosts_told read_only_server role_changes moved_name several_hosts silence switchover]
  files = names.map { |name| "test/integration/#{name}_test.rb" } + ["test/hosts/failover_test.rb", *Dir["test/failover/*_test.rb"].sort]
  program = "ARGV.each { |file| require File.expand_path(file) }"
  sh({ "TRUNKLINE_FAILOVER_REPORT" => "1" }, RbConfig.ruby, "-w", "-Ilib", "-Itest", "-e", program, "--", *files, verbose: false)
end
