# frozen_string_literal: true

desc "Stop, kill and promote real servers under clients with several hosts; tells the gap, and the writes lost and doubled"
task failover: :compile do
  files = Dir["test/integration/{failover_history,failover_wait,fencing,hosts_told,read_only_server,role_changes,several_hosts,silence}_test.rb", "test/hosts/failover_test.rb"].sort
  program = "ARGV.each { |file| require File.expand_path(file) }"
  sh({ "TRUNKLINE_FAILOVER_REPORT" => "1" }, RbConfig.ruby, "-w", "-Ilib", "-Itest", "-e", program, "--", *files, verbose: false)
end
