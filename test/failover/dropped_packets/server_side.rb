# frozen_string_literal: true

require "rbconfig"
require_relative "../../../bench/support/servers/postgres_server"
require_relative "../../support/two_networks"

# A primary and its standby are in this process's network, each behind a cable of its own; the tests of client_side.rb are in the other one.
passed = TwoNetworks.open(2) do |networks|
  hba = "local all all trust\nlocal replication all trust\nhost all all samenet trust\n"
  primary = Trunkline::Bench::PostgresServer.start(settings: { "listen_addresses" => networks.cables.map(&:here).join(",") }, hba: hba)
  standby = Trunkline::Bench::PostgresServer.start_standby(primary)
  hosts = networks.cables.map(&:here).zip([primary, standby]).map { |address, server| "#{address}:#{server.port}" }.join(",")
  networks.run(RbConfig.ruby, "-w", "-Ilib", "-Itest", File.join(__dir__, "client_side.rb"), hosts, networks.cables.first.device, primary.uri, standby.uri)
end
exit(passed)
