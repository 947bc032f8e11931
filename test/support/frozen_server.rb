# frozen_string_literal: true

module Trunkline
  # A server whose processes are all stopped (SIGSTOP): its kernel accepts connections and packets, and nothing answers.
  module FrozenServer
    private

    # @param server [Bench::PostgresServer]
    # @return what the block returns
    def frozen(server)
      stopped = signal(server, "STOP")
      yield
    ensure
      stopped&.each { |pid| Process.kill("CONT", pid) }
    end

    # The postmaster first, so that it starts no further processes.
    def signal(server, name)
      Process.kill(name, server.pid)
      children = File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i)
      children.each { |pid| Process.kill(name, pid) }
      [server.pid, *children]
    end
  end
end
