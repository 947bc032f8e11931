# frozen_string_literal: true

require_relative "../../config"
require_relative "../../trunk/deadlines"
require_relative "../../trunk/lock"
require_relative "cluster_timeline"
require_relative "host_memory"
require_relative "host_search"
require_relative "names/name_watch"
require_relative "promotion_watch"

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
      # @param cluster [ClusterTimeline, nil] that the servers must belong to
      # @param promotions [PromotionWatch, nil] of standbys that may become the primary that callers wait for; nil: none do
      # @param survey [SessionSurvey, nil] what new sessions are asked; nil: nothing
      def initialize(config, random: Random, cluster: nil, promotions: nil, survey: nil)
        @config = config
        @cluster = cluster
        @promotions = promotions
        @survey = survey
        @memory = HostMemory.new(config, random)
        @lock = Lock.new
        @names = NameWatch.new
        @left = []
      end

      # @yieldparam from [String] label of the host to which the connection before went, where this one goes to another
      # @yieldparam to [String] this one's
      # @return [Connection]
      # @raise [Error] see {Connector.connect}
      def connect(&switched) = @promotions ? connect_after_promotion(&switched) : search(&switched)

      # @return [Boolean] whether the name of a host that could not be connected to leads to another server by now, as far as that is known within the
      #   caller's time
      def moved? = @names.moved?

      # Closes what callers have left, and the sessions of standbys.
      #
      # @return [void]
      def close
        @promotions&.release
        @lock.synchronize { @left.slice!(0..) }.each(&:abandon)
      end

      # @param server [String] label of a host that is to be tried last for a while
      # @param reason [String]
      # @return [void]
      def avoid(server, reason) = @memory.avoid(server, reason)

      # @param open [Hash{String => Integer}] connections by label
      # @return [Hash{Symbol => Object}] hosts and switches, as {Client#stats} explains them
      def stats(open) = { hosts: @memory.to_a(open), switches: @memory.switches }

      private

      # A search that fails is followed by the usual pauses only where no standby can be asked meanwhile.
      def connect_after_promotion(&switched)
        raise @promotions.failure unless @promotions.search_due? || @promotions.changed?

        search(&switched).tap { @promotions.release }
      rescue ConnectionError => error
        raise error.retry_after ? error : @promotions.failed(error)
      end

      def search(&switched)
        search = take_up || begin_search
        began = search.begun_at
        arrive(@promotions ? run_beside_promotions(search, Deadlines.present) : search.run(Deadlines.present) || leave(search), began, &switched)
      end

      def begin_search = HostSearch.new(@config, @memory, @cluster, @promotions, @survey, @names)

      # A host that is frozen holds a search up for as long as an attempt may take. Meanwhile a standby that was met in it may be promoted: then
      # the next search begins.
      def run_beside_promotions(search, deadline)
        until (found = search.run([deadline, Waiting.now + PromotionWatch::PAUSE].compact.min))
          leave(search) if deadline && Waiting.now >= deadline
          next unless @promotions.changed?

          search.abandon
          search = begin_search
        end
        found
      ensure
        search.abandon unless found || left?(search)
      end

      def left?(search) = @lock.synchronize { @left.include?(search) }

      def arrive(connection, sought_at)
        from = @memory.good(connection, sought_at)
        yield from, connection.server if from && block_given?
        told = true
        connection
      ensure
        connection.io.close unless told
      end

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
