# frozen_string_literal: true

require "rbconfig"
require_relative "../../bench/support/servers/postgres_server"

# Two networks with one cable between them: the server's is this process's, the client's is that of the program which it runs
# with the tests. When the server's end of the cable is down, every packet is lost, and neither end is told.
class ServerSide
  HERE = "10.211.55.1"
  THERE = "10.211.55.2"
  CABLE = "server_end"
  TESTS = File.join(__dir__, "client_side.rb")
  private_constant :HERE, :THERE, :CABLE, :TESTS

  # @return [Boolean] whether the tests have passed
  def run
    holder = Process.spawn("unshare", "-n", "sleep", "infinity")
    lay_cable(holder)
    system("nsenter", "-t", holder.to_s, "-n", RbConfig.ruby, "-w", "-Ilib", "-Itest", TESTS, uri, CABLE)
  ensure
    Process.kill(:KILL, holder)
    Process.wait(holder)
  end

  private

  # The other network is there as soon as the process that holds it has left this one.
  def lay_cable(holder)
    Thread.pass while File.readlink("/proc/#{holder}/ns/net") == File.readlink("/proc/self/ns/net")
    ip("link", "add", CABLE, "type", "veth", "peer", "name", "client_end", "netns", holder.to_s)
    plug(HERE, CABLE)
    plug(THERE, "client_end", "nsenter", "-t", holder.to_s, "-n")
  end

  def plug(address, device, *within)
    ip("link", "set", "lo", "up", within: within)
    ip("address", "add", "#{address}/24", "dev", device, within: within)
    ip("link", "set", device, "up", within: within)
  end

  def ip(*arguments, within: []) = system(*within, "ip", *arguments, exception: true)

  def uri
    hba = "local all all trust\nhost all all samenet trust\n"
    server = Trunkline::Bench::PostgresServer.start(settings: { "listen_addresses" => HERE }, hba: hba)
    "postgresql://postgres@#{HERE}:#{server.port}/postgres"
  end
end

exit(ServerSide.new.run)
