# frozen_string_literal: true

# Two network namespaces with cables between them: this process's, which must be a separate one (unshare -n), and that of the programs which it runs
# there. When this end of a cable is down, each packet over it is lost, and neither end gets an error.
class TwoNetworks
  # A cable: the device at this end, and its addresses here and there.
  Cable = Struct.new(:device, :here, :there)

  # @param count [Integer] cables
  # @yieldparam networks [TwoNetworks]
  # @return what the block returns
  def self.open(count)
    networks = new(count)
    yield networks.tap(&:lay)
  ensure
    networks&.close
  end

  # @return [Array<Cable>]
  attr_reader :cables

  def initialize(count)
    @cables = Array.new(count) { |at| Cable.new("server_end#{at}", "10.211.#{55 + at}.1", "10.211.#{55 + at}.2") }
    @holder = Process.spawn("unshare", "-n", "sleep", "infinity")
  end

  # The other network exists once the process that holds it has left this one.
  def lay
    Thread.pass while File.readlink("/proc/#{@holder}/ns/net") == File.readlink("/proc/self/ns/net")
    @cables.each_with_index { |cable, at| lay_cable(cable, "client_end#{at}") }
  end

  # Runs a program in the other network.
  #
  # @return [Boolean] whether it has succeeded
  def run(*program) = system(*there, *program)

  def close
    Process.kill(:KILL, @holder)
    Process.wait(@holder)
  end

  private

  def lay_cable(cable, other_end)
    ip("link", "add", cable.device, "type", "veth", "peer", "name", other_end, "netns", @holder.to_s)
    plug(cable.here, cable.device)
    plug(cable.there, other_end, *there)
  end

  def there = ["nsenter", "-t", @holder.to_s, "-n"]

  def plug(address, device, *within)
    ip("link", "set", "lo", "up", within: within)
    ip("address", "add", "#{address}/24", "dev", device, within: within)
    ip("link", "set", device, "up", within: within)
  end

  def ip(*arguments, within: []) = system(*within, "ip", *arguments, exception: true)
end
