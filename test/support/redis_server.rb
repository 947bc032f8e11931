# frozen_string_literal: true

require "socket"
require_relative "../../bench/support/servers/keeper"
require_relative "eventually"

module Trunkline
  # A private Redis on a Unix socket, which stores nothing on disk and ends with this process.
  class RedisServer
    extend Eventually

    # @yieldparam url [String] as redis-client takes it
    # @raise [RuntimeError] with the server's output when it does not start
    def self.open
      keeper = Bench::Keeper.instance
      socket = File.join(keeper.folder, "redis.socket")
      log = File.join(keeper.folder, "redis.log")
      pid = keeper.spawn("redis-server", "--port", "0", "--unixsocket", socket, "--unixsocketperm", "777", "--save", "", "--dir", keeper.folder, log: log, stop: "KILL")
      eventually { !keeper.running?(pid) || listening?(socket) }
      keeper.running?(pid) ? yield("unix://#{socket}") : raise("redis-server did not start:\n#{File.read(log)}")
    ensure
      keeper.stop(pid) if pid
    end

    def self.listening?(socket)
      UNIXSocket.new(socket).close
      true
    rescue SystemCallError
      false
    end
    private_class_method :listening?
  end
end
