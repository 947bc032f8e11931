# frozen_string_literal: true

require "rbconfig"
require_relative "../../bench/support/servers/postgres_server"
require_relative "../support/two_networks"

# The server is in this process's network, the tests of client_side.rb in the other one.
passed = TwoNetworks.open(1) do |networks|
  cable = networks.cables.first
  hba = "local all all trust\nhost all all samenet trust\n"
  server = Trunkline::Bench::PostgresServer.start(settings: { "listen_addresses" => cable.here }, hba: hba)
  networks.run(RbConfig.ruby, "-w", "-Ilib", "-Itest", File.join(__dir__, "client_side.rb"), "postgresql://postgres@#{cable.here}:#{server.port}/postgres", cable.device)
end
exit(passed)
