# frozen_string_literal: true

require_relative "../../bench/support/servers/memcached_server"

module Trunkline
  # The memcached servers that tests talk to: private ones, started on first use, gone with the process.
  module MemcachedServers
    @lock = Mutex.new
    @servers = {}

    # @return [Bench::MemcachedServer] the same one for the same name
    def self.server(name = :first, **options)
      @lock.synchronize { @servers[name] ||= Bench::MemcachedServer.start(**options) }
    end

    # @return [String] another one each time
    def self.namespace = @lock.synchronize { "test#{@namespaces = (@namespaces || 0) + 1}" }

    # Starts the shared server before any scheduler runs.
    def setup
      super
      memcached
    end

    # @return [Bench::MemcachedServer] the one that all tests share, with keys of their own
    def memcached = MemcachedServers.server

    # A client of the shared server with a namespace of its own, closed after the block.
    #
    # @param options [Hash] keywords of Trunkline.memcached
    # @yieldparam cache [Trunkline::Memcached::Client]
    def with_cache(**options, &block)
      Trunkline.memcached(memcached.address, namespace: MemcachedServers.namespace, timeout: 30, **options, &block)
    end

    # The same within the test's host.
    def in_host_with_cache(**options, &block) = in_host { with_cache(**options, &block) }

    # A server of the test's own, gone after the block.
    #
    # @yieldparam server [Bench::MemcachedServer]
    def with_memcached(**options)
      server = Bench::MemcachedServer.start(**options)
      yield server
    ensure
      server&.stop
    end
  end
end
