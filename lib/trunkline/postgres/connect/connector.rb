# frozen_string_literal: true

require_relative "../../config"
require_relative "../../trunk/deadlines"
require_relative "../../trunk/lock"
require_relative "cluster"
require_relative "host_memory"
require_relative "host_search"

module Trunkline
  module Postgres
    # Connects to one of the hosts, and remembers for the next time which of them worked and which were silent. A search whose caller could
    # wait no longer is kept, and the next caller of that thread goes on with it: a deadline shorter than connecting takes ends the caller's
    # wait, and not the attempt.
    class Connector
      # Searches that are kept: each has a socket.
      MOST_LEFT = 4
      private_constant :MOST_LEFT

      # @param config [Config]
      # @return [Connection]
      # @raise [ConnectionError] when no host can be connected to; {ConnectionError#reasons} tells why
      # @raise [UnsuitableServer] when the only one is not what target_session_attrs asks for
      # @raise [WrongCluster] when the hosts do not belong to one cluster
      # @raise [ServerError] when a server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] when what answers is no PostgreSQL server
      # @raise [ConfigError] when the callable for the password returns nonsense
      def self.connect(config)
        connector = new(config)
        connector.connect
      ensure
        connector&.close
      end

      # @param config [Config]
      # @param random [Random] for load_balance_hosts
      # @param cluster [Cluster, nil] that the servers must belong to
      def initialize(config, random: Random, cluster: nil)
        @config = config
        @cluster = cluster
        @memory = HostMemory.new(config, random)
        @lock = Lock.new
        @left = []
      end

      # @return [Connection]
      # @raise [Error] see {Connector.connect}
      def connect
        search = take_up || HostSearch.new(@config, @memory, @cluster)
        search.run(Deadlines.present) || leave(search)
      end

      # Closes what callers have left.
      #
      # @return [void]
      def close = @lock.synchronize { @left.slice!(0..) }.each(&:abandon)

      # @param server [String] label of a host that is to be tried last for a while
      # @return [void]
      def avoid(server) = @memory.avoid(server)

      private

      # @return [HostSearch, nil] one that a caller of this thread has left
      def take_up
        return if @left.empty?

        search = nil
        stale = @lock.synchronize do
          search = @left.find(&:mine?)
          @left.delete(search)
          @left.select(&:stale?).each { |left| @left.delete(left) }
        end
        stale.each(&:abandon)
        search
      end

      def leave(search)
        kept = @lock.synchronize { @left.size < MOST_LEFT && @left << search }
        search.abandon unless kept
        raise ConnectionError.new("no connection within the deadline: #{search.state}", server: @config.server)
      end
    end
  end
end
