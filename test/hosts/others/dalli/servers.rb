# frozen_string_literal: true

require_relative "../../../../bench/support/servers/memcached_server"

# Stands for Dalli's own, which wants servers of newer versions than this machine may have.
module MemcachedManager
  @servers = {}

  class << self
    def supported_protocols = [:meta]

    def version = IO.popen(%w[memcached -V], &:read)[/[\d.]+/]

    # @param place [Integer, String] a port, or the path of a Unix socket, which stands for another path
    # @param arguments [String] of the server's
    # @return [Trunkline::Bench::MemcachedServer] running
    def start(place, arguments)
      port = place.to_i
      @servers[place] ||= patiently { Trunkline::Bench::MemcachedServer.start(unix: port.zero?, port: port.zero? ? nil : port, arguments: arguments.split) }
    end

    def stop(place) = @servers.delete(place)&.stop

    private

    # Some of the ports are those that the system gives to clients: another program's connection may have one for a while.
    def patiently(attempts = 10)
      yield
    rescue RuntimeError
      raise if (attempts -= 1).zero?

      sleep 0.5
      retry
    end
  end
end

# What tests start servers with.
module ServersOfTheirOwn
  HOSTS = %w[localhost 127.0.0.1].freeze # one server by two names, as Dalli's own tests have it
  private_constant :HOSTS

  def memcached(_protocol, place, arguments = "", options = {}, terminate_process: true)
    server = MemcachedManager.start(place, arguments)
    client = Dalli::Client.new(server.port ? HOSTS.map { |host| "#{host}:#{server.port}" } : server.address, options)
    client.flush_all
    yield client, server.port || server.address
    MemcachedManager.stop(place) if terminate_process
  ensure
    client&.close
  end

  # The texts of errors are this client's own.
  def assert_error(kind, _pattern = nil, &block) = assert_raises(kind, &block)
end
Minitest::Spec.prepend(ServersOfTheirOwn)
