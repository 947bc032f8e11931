# frozen_string_literal: true

require_relative "../../trunk/pool/pool"
require_relative "../../trunk/turn"
require_relative "../connect/role_watch"
require_relative "../connect/server_access"
require_relative "../session/sessions"
require_relative "hedging"
require_relative "read"
require_relative "replay_waits"
require_relative "replica"
require_relative "route"

module Trunkline
  module Postgres
    # The replicas of a client, each with its own connections. Chooses the one from which a read's answer is expected first. Connecting to the hosts
    # shows which of them are standbys. A read that none of them takes goes to the primary.
    class ReplicaSet # :nodoc:
      # Seconds for a replica's first connection, after which the read goes elsewhere: the attempt is kept, and the next caller continues it. It is a
      # bound on what a read waits for a replica that does not respond, once in {Replica::LONGEST_PAUSE}.
      CONNECT_LIMIT = 0.5
      # Seconds between two checks of what is known about the hosts: no I/O, but for a replica that lags behind a promotion. A tenth of the interval in
      # which lags are measured.
      CHECK_INTERVAL = LagQuery::EVERY / 10
      # Errors after which another host may succeed.
      ELSEWHERE = [ConnectionError, ServerError, ProtocolError, Overloaded].freeze
      private_constant :CONNECT_LIMIT, :CHECK_INTERVAL

      # @return [Array<Replica>] one for each host
      attr_reader :replicas

      # @param config [Config] with the hosts
      # @param trunks [TrunkFactory] of the connections to the primary
      # @param primary [Pool] of these, for reads that no replica takes
      # @param statements [Statements] of the client
      # @param responses [ResponseReader] of the client
      # @param pools [Hash] keywords of {Pool#initialize}
      def initialize(config, trunks, primary, statements, responses, **pools)
        @statements = statements
        @at_once = pools.fetch(:most) - pools.fetch(:connections)
        @config = config
        @trunks = trunks
        @primary = primary
        @responses = responses
        @lag_query = statements.table[LagQuery::SQL]
        @replicas = config.hosts.each_with_index.map { |host, number| replica(number, config.replica_at(host), pools) }.freeze
        begin_anew
      end

      # @return [Array<Pool>]
      def pools = @replicas.map(&:pool)

      # Sends the read to a replica, or to the primary.
      #
      # @param request [Request]
      # @param guard [ReadGuard]
      # @param eager [Boolean] whether the caller does not wait for the answer
      # @param hedge [Boolean] whether a slow read is sent to a second replica
      # @return [Trunk, nil] over which it was sent; nil: its deadline has passed first
      # @raise [NoReplica] no replica fulfils the conditions, and fallback is false
      # @raise [Error] the primary could not be connected to
      def perform(request, guard, eager = false, hedge = false)
        read = Read.new(request, guard)
        while (replica = choose(guard, read.route, request.statement) || (await(guard, read.route, request.deadline, request.statement) unless eager))
          trunk = perform_on(replica, read, eager, hedge)
          return trunk unless trunk == false

          leave_chosen(read.route)
          read.route.pass(replica.number)
        end
        perform_on_primary(read, eager)
      ensure
        leave_chosen(read.route) if read
      end

      # The caller counts as one that waits for the replica, until {#leave_chosen}. A thread that is interrupted between its choice and what it does
      # with the replica has the number in its route.
      #
      # @param guard [ReadGuard]
      # @param route [Route]
      # @param statement [Statement, nil]
      # @return [Replica, nil] nil: the primary is next
      def choose(guard, route, statement = nil)
        begin_anew unless @generation == Trunkline.process_generation
        check_hosts if (now = Waiting.now) >= @check_at
        return if route.exhausted?

        passed = guard.sql ? unsuitable_numbers(guard, route, now) : route.passed
        number = route.chosen = @choice.choose(statement&.services(@replicas.size), passed)
        taken(route, number)
      end

      # No replica is next: this may wait for one that is behind, before the primary takes the read.
      #
      # @param deadline [Float, nil] of the caller, on the clock of Waiting.now
      # @return [Replica, nil] one that has replayed the guard's position by now, chosen; nil: the primary is next
      def await(guard, route, deadline, statement = nil)
        replica = @waits.replica_for(guard.after, route, deadline) if guard.after
        choose_among([*replica], statement, route)
      end

      # @param replicas [Array<Replica>] to choose from
      # @param statement [Statement, nil]
      # @param route [Route] as for {#choose}
      # @return [Replica, nil] the one from which the answer is expected first
      def choose_among(replicas, statement, route)
        number = route.chosen = @choice.choose(statement&.services(@replicas.size), (@replicas - replicas).map(&:number)) if replicas.any?
        taken(route, number)
      end

      # The caller does not wait any more for the replica that was chosen last. No interrupt comes between the two changes.
      def leave_chosen(route)
        number = route.chosen or return
        route.chosen = nil
        @choice.left(number, route.period || @choice.period)
      end

      # A replica could not be connected to: it is not used for a while.
      #
      # @param error [Error]
      # @return [false]
      # @raise [Error] the same, if other hosts would fail as well
      def leave(replica, error)
        raise error if error.is_a?(WrongCluster)

        replica.failed(error)
        @choice.usable(replica.number, false)
        false
      end

      # Notes what the answer, or its absence, shows about the replica.
      #
      # @param read [Read] done
      def note(replica, read)
        return replica.note_answer if read.answered?

        read.route.pass(replica.number)
        read.refused? ? replica.note_refusal(read.guard) : nil
      end

      # Measures the lag of a replica that has just answered, if that is due.
      def check_lag(replica) = (replica.check_lag(@lag_query, Waiting.now) if @choice.idle?(replica.number))

      # @return [NoReplica]
      def no_replica(guard)
        reasons = @replicas.map { |replica| "#{replica.server}: #{replica.reason || "it did not take the read"}" }
        NoReplica.new("no replica takes the read: #{reasons.join("; ")}", server: @config.server)
      end

      # @return [Array<Hash{Symbol => Object}>] as {Client#stats} documents them
      def stats
        all = (0...@replicas.size).sum { |number| @choice.chosen(number) }
        @replicas.map { |replica| { **replica.to_h, share: all.zero? ? 0.0 : @choice.chosen(replica.number) / all.to_f } }
      end

      # @return [ClusterTimeline] of the client
      def cluster = @trunks.cluster

      private

      def begin_anew
        @generation = Trunkline.process_generation
        @replicas.each(&:begin_anew)
        @choice = HostChoice.new(@replicas.map { |replica| replica.pool.dispatcher })
        @hedging = Hedging.new(self)
        @waits = ReplayWaits.new(@replicas, @statements, @responses, @at_once)
        @check_at = -Float::INFINITY
        @checking = Turn.new
      end

      def replica(number, config, pools)
        factory = @trunks.for_other_servers(config) { |trunk| retire_silent(number, trunk) }
        pool = Pool.new(server: config.server, address_changed: (factory.method(:address_changed?) if config.named?), **pools) { |made| open(factory, made) }
        roles = RoleWatch.new(config, [pool], factory)
        Replica.new(number, config.server, pool, Sessions.new(ServerAccess.new(factory, pool), nil, @responses, roles, server: config.server), roles, @config.hosts.size)
      end

      # Its connections take no new requests.
      def retire_silent(number, trunk)
        @replicas[number].roles.retire_host(trunk)
        leave(@replicas[number], ConnectionError.new("it does not respond", server: trunk.server))
      end

      def open(factory, pool) = Deadlines.hold([Deadlines.present, Waiting.now + CONNECT_LIMIT].compact.min) { factory.open(pool) }

      def unsuitable_numbers(guard, route, now)
        unsuitable = @replicas.filter_map { |replica| replica.number if replica.unsuitable?(guard, now) }
        unsuitable.empty? ? route.passed : unsuitable.concat(route.passed.to_a)
      end

      def perform_on(replica, read, eager, hedge)
        return @hedging.perform(replica, read) if hedge

        read.prepare_for(replica)
        since = Waiting.now
        replica.check_lag(@lag_query, since) if @choice.idle?(replica.number)
        trunk = replica.perform(read.request, read.guard.after, eager)
        return trunk if eager || !trunk

        replica.times << (Waiting.now - since)
        note(replica, read)
        trunk
      rescue *ELSEWHERE => error
        raise if read.request.deadline_passed? || read.request.done?

        leave(replica, error)
      end

      def perform_on_primary(read, eager)
        raise no_replica(read.guard) unless read.guard.fallback && read.prepare_for_primary(cluster)

        trunk = eager ? @primary.dispatch(read.request) : @primary.perform(read.request)
        raise former_primary(read.guard) if !eager && read.refused?

        trunk
      end

      def former_primary(guard)
        NoReplica.new("the position is of timeline #{guard.after.timeline}, and no server was found on it: the primary is on an older one", server: @config.server)
      end

      def taken(route, number)
        route.period = @choice.period
        number && @replicas[number]
      end

      # Only one caller checks at a time.
      def check_hosts
        now = Waiting.now
        @check_at = now + CHECK_INTERVAL
        @checking.take(now) { @replicas.each { |replica| check_host(replica, now) } }
      end

      def check_host(replica, now)
        if replica.resume_at
          return if now < replica.resume_at

          replica.resume
          @choice.usable(replica.number, true)
        elsif !replica.maybe_standby?
          @choice.usable(replica.number, false)
          replica.retire
        elsif replica.outdated?(cluster.timeline)
          replica.check_lag(@lag_query, now)
        end
      end
    end
    private_constant :ReplicaSet
  end
end
