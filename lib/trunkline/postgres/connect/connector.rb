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
    # Connects to one of the hosts, and remembers which of them worked and which were silent. A search whose caller's deadline passes is kept, and the
    # thread's next caller continues it: a deadline shorter than connecting takes ends the caller's wait, but not the attempt.
    class Connector
      # Searches that are kept: each has an open socket. It is a bound: a client shares as many connections by default, and threads that continue none
      # leave the silence of their hosts in HostMemory.
      MOST_KEPT = 4
      private_constant :MOST_KEPT

      # @param config [Config]
      # @return [Connection]
      # @raise [ConnectionError] no host can be connected to; see {ConnectionError#reasons}
      # @raise [UnsuitableServer] the only one does not match target_session_attrs
      # @raise [WrongCluster] the hosts do not belong to one cluster
      # @raise [ServerError] when a server refuses: InvalidPassword, InvalidCatalogName, TooManyConnections, ...
      # @raise [ProtocolError] the answer is not from a PostgreSQL server
      # @raise [ConfigError] the callable for the password returns an invalid value
      def self.connect(config)
        connector = new(config)
        connector.connect
      ensure
        connector&.close
      end

      # @param config [Config]
      # @param random [Random] for load_balance_hosts
      # @param cluster [ClusterTimeline, nil] that the servers must belong to
      # @param promotions [PromotionWatch, nil] of standbys, one of which may become the primary that callers wait for; nil: not watched
      # @param survey [SessionSurvey, nil] of new sessions; nil: they are not surveyed
      def initialize(config, random: Random, cluster: nil, promotions: nil, survey: nil)
        @config = config
        @cluster = cluster
        @promotions = promotions
        @survey = survey
        @memory = HostMemory.new(config, random)
        @lock = Lock.new
        @names = NameWatch.new
        @kept = []
      end

      # @yieldparam from [String] label of the former connection's host, if this one goes to another
      # @yieldparam to [String] label of this one's
      # @return [Connection]
      # @raise [Error] see {Connector.connect}
      def connect(&switched) = @promotions ? connect_after_promotion(&switched) : search(&switched)

      # @return [Boolean] whether the name of a host that could not be connected to resolves to another server now, as far as the caller's deadline
      #   allows to check
      def address_changed? = @names.address_changed?

      # Closes kept searches, and the sessions of standbys.
      #
      # @return [void]
      def close
        @promotions&.release
        @lock.synchronize { @kept.slice!(0..) }.each(&:abandon)
      end

      # @param server [String] label of a host that is tried last for a while
      # @param reason [String]
      # @return [void]
      def avoid(server, reason) = @memory.avoid(server, reason)

      # A server has refused a write, as it is read-only.
      #
      # @return [void]
      def refused_write = @memory.refused_write

      # @param open [Hash{String => Integer}] connections by label
      # @return [Hash{Symbol => Object}] hosts and switches, as {Client#stats} documents them
      def stats(open) = { hosts: @memory.to_a(open), switches: @memory.switches }

      private

      # After a failed search, the usual pause applies only if no standby can be polled meanwhile.
      def connect_after_promotion(&switched)
        raise @promotions.failure unless @promotions.search_due? || @promotions.changed?

        search(&switched).tap { @promotions.release }
      rescue ConnectionError => error
        raise error.retry_after ? error : @promotions.failed(error)
      end

      def search(&switched)
        search = take_kept || begin_search
        began = search.begun_at
        record_connection(@promotions ? run_beside_promotions(search, Deadlines.present) : search.run(Deadlines.present) || keep(search), began, &switched)
      end

      def begin_search = HostSearch.new(@config, @memory, @cluster, @promotions, @survey, @names)

      # A frozen host blocks a search for as long as an attempt may take. If a standby that this search found is promoted meanwhile, the next search
      # begins.
      def run_beside_promotions(search, deadline)
        until (found = search.run([deadline, Waiting.now + PromotionWatch::PAUSE].compact.min))
          keep(search) if deadline && Waiting.now >= deadline
          next unless @promotions.changed?

          search.abandon
          search = begin_search
        end
        found
      ensure
        search.abandon unless found || kept?(search)
      end

      def kept?(search) = @lock.synchronize { @kept.include?(search) }

      def record_connection(connection, sought_at)
        from = @memory.connected(connection, sought_at)
        yield from, connection.server if from && block_given?
        recorded = true
        connection
      ensure
        connection.io.close unless recorded
      end

      # @return [HostSearch, nil] one that a caller of this thread has left unfinished
      def take_kept
        return if @kept.empty?

        search = nil
        stale = @lock.synchronize do
          search = @kept.find(&:continuable?)
          @kept.delete(search)
          @kept.select(&:stale?).each { |left| @kept.delete(left) }
        end
        stale.each(&:abandon_unanswered)
        search
      end

      def keep(search)
        kept = @lock.synchronize { @kept.size < MOST_KEPT && @kept << search }
        search.abandon_unanswered unless kept
        raise ConnectionError.new("no connection within the deadline: #{search.state}", server: @config.server)
      end
    end
  end
end
