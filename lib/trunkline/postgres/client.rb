# frozen_string_literal: true

require_relative "../config"
require_relative "../middlewares"
require_relative "../trunk/main_ractor"
require_relative "connect/budget"
require_relative "copy/copying"
require_relative "statements/detection"
require_relative "group_commit/group_commit"
require_relative "virtual_session/adapter_access"
require_relative "virtual_session/adapter_interface"
require_relative "client/client_executor"
require_relative "request/leaks"
require_relative "notifications/listening"
require_relative "session/own_savepoint"
require_relative "replicas/replicated"
require_relative "statements/statements"
require_relative "connect/server_access"
require_relative "types"
require_relative "connect/unfinished_cancels"

module Trunkline
  # PostgreSQL: its client, and what that gives and takes.
  module Postgres
    # A PostgreSQL client for any number of fibers and threads at once. Their queries share a few connections, each query
    # sent behind the others without waiting for their answers; transactions and sessions get a connection of their own.
    # Connects on first use.
    #
    # @see Trunkline.postgres
    class Client
      include Querying
      include Copying
      include AdapterAccess
      include Streaming
      include Listening
      include Replicated
      include MainRactor

      # @param config [Config]
      # @param limits keywords of {Limits}; the keywords before them are those of {Trunkline.postgres}, where they are explained
      # @raise [ArgumentError] a number, a name or `keys` is out of range
      # @raise [TypeError] the config is a String, as {Trunkline.postgres} takes it, or something else
      def initialize(config, connections: nil, max_connections: 16, keys: :string, prepare: true, session_functions: [], decode: nil, group_commit: false,
                     errors: :with_values, replicas: false, **limits)
        stay_in_main_ractor
        connections = Budget.shared(connections, max_connections)
        @config = replicas ? Config.check(config).for_primary : Config.check(config)
        @limits = Limits.new(**limits)
        @epochs = PlanEpoch.new(@limits.max_statement_age)
        @result_class = ResponseReader.result_class(keys)
        detection = Detection.new(@epochs) { |script| @executor.query_catalogue(script) } if session_functions == :detect
        @known = Statements.new(most: @limits.max_statements, keepers: detection || NamedKeepers.new(session_functions), epochs: @epochs) do |statement|
          @executor.check_sharing(statement)
        end
        decoding = Decoding.of(decode)
        @types = Types.new(@limits.max_types, @epochs) { @sessions.held&.lease&.changed_parse_context? }
        @responses = ResponseReader.new(@types, config.server, limits: @limits, errors: errors) { |sql, parameters| look_up(sql, parameters) }
        @responses.on_leak = Leaks.new(config, @known)
        @unfinished = UnfinishedCancels.new
        @usual, direct = [@config, config.direct].map do |address|
          address && ServerAccess.to(address, @responses, @epochs, @unfinished, prepare: prepare, gone: ->(trunk) { @roles.leave(trunk) },
                                       connections: connections, most: max_connections) { |pool, trunks| @executor.around_connect { trunks.open(pool) } }
        end
        @trunks = @usual.trunks
        @pool = @usual.pool
        @group_commit = GroupCommit.new(@pool, connections, **@usual.options) { |pool| open_writer(pool) }
        @pools = [@pool, *direct&.pool, *@group_commit.pools].freeze
        @roles = RoleWatch.new(@config, @pools, @trunks)
        @sessions = Sessions.new(@usual, direct, @responses, @roles, server: config.server)
        raise ArgumentError, "fleet and group_commit do not go together: its connections would come on top of the share" if group_commit && config.fleet
        @executor = ClientExecutor.new(self, @config, @known, decoding, @responses, @result_class, pool: @pool, sessions: @sessions, roles: @roles,
                                       group_commit: @group_commit, shares_flushes: !!group_commit, detection: detection)
        @statements = @executor.statements
        @readers = Readers.of(@executor, @config, @trunks, @pool, @sessions, @epochs, connections: connections, most: max_connections, limits: limits,
                              known: @known, result_class: @result_class) if replicas
        @adapter_interface = AdapterInterface.new(@executor, @known, @epochs, @result_class, @readers) { |*holder| @sessions.lease_at(*holder) }
        @listener = Listener.new(@sessions, @responses)
      end

      # Runs several statements, separated by semicolons, without parameters, on a session of their own.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql) = session { |session| session.execute_script(sql) }

      # Runs the block with a server session of its own, which takes a connection when it is first asked something. Meanwhile
      # this caller's queries through the client go to it too. Within a session or a transaction it is that one.
      #
      # @yieldparam session [Session]
      # @return [Object] what the block returned
      # @raise [Overloaded] no connection became free in time
      # @raise [Error] no connection could be had
      def session(&block)
        raise ArgumentError, "session takes a block: session { |session| ... }" unless block

        @executor.session(block) { |session| yield session.object }
      end

      # Runs the block in a transaction on a connection of its own, which is taken at its first query. It is committed when
      # the block comes to its end, by next, break or return too, and rolled back when the block is left in any other way: by
      # an exception, a throw, the end of the thread or fiber. {Rollback} rolls back and goes no further. Meanwhile this
      # caller's queries through the client go to it too. Within a transaction it is a savepoint, and has no options.
      #
      # @option options [Symbol, nil] :isolation :serializable, :repeatable_read, :read_committed, :read_uncommitted
      # @option options [Boolean, nil] :read_only
      # @option options [Boolean, nil] :deferrable of a serializable, read-only transaction: whether it may wait for a moment in
      #   which nothing can make it fail. Of these three, nil leaves it to the server's settings
      # @option options [Integer] :retries how often the whole block is run again, after a pause of random length, when the
      #   transaction could not be serialized (40001) or was the victim of a deadlock (40P01)
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {Transaction#rollback}
      # @raise [InFailedSqlTransaction] the block came to its end, but a statement in it had failed: all is rolled back
      # @raise [Indeterminate] the connection was lost during COMMIT. Lost before that, it is a {ConnectionError}: nothing
      #   has happened
      # @raise [Overloaded] no connection became free in time
      # @raise [Error] no connection could be had, or COMMIT failed
      def transaction(**options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction(options, block) { |transaction| yield transaction.object }
      end

      # What a statement asks of the server session that it runs in. Queries of :shareable and :alone go over connections that
      # others share; all others need a {#session} or a {#transaction}, and raise {SharedStateError} outside of one.
      #
      # @param sql [String] which is not sent
      # @return [Symbol] :shareable; :alone, which leaves nothing behind either, and refuses to run within a transaction;
      #   :transaction, :savepoint, :setting, :session, :listen, :copy, :script, or :unknown
      # @raise [ArgumentError, TypeError, EncodingError] the SQL cannot be sent
      def classify(sql) = @known.table[Statements.text(sql)].classification

      # Has this client's calls go through a middleware from now on, and those of sessions and transactions that begin later.
      #
      # @param middleware [Module] around those there are: see {Middlewares}
      # @return [self]
      # @raise [TypeError] it is no module
      def use(middleware)
        @responses.middlewares = (@responses.middlewares || Middlewares.new).within(middleware)
        @executor.instrument
        self
      end

      # Has the block called with each notice that the server sends along with an answer, in the fiber or thread that asked, before it
      # gets the answer. Those of a stream or a COPY are told as they come, and so are those of a statement, asked by a thread outside of sessions and
      # transactions, that raises 64 or more in a row. Other fibers and threads have a turn each 5 ms. Results have their notices all the same. What
      # comes while no request waits is dropped. The asker gets an exception of the block, and a statement that still runs is cancelled. Nothing is printed.
      #
      # @yieldparam notice [Hash{Symbol => String, Integer}] as {Result#notices} has them; without a block, nothing is called any more
      # @return [nil]
      def on_notice(&block)
        @responses.on_notice = block
        nil
      end

      # What goes on, in plain values; all times in seconds.
      #
      #   db.stats[:queue][:length]                          # => 0
      #   db.stats[:statements].max_by { |sql, statement| statement[:p99] }
      #
      # pooled:: whether a pooler was found that gives each transaction another server session; nil: there was no connection yet
      # open, opening, shared, pinned, spare, busy:: connections: all there are; on their way; that queries share; that are
      #   leased to one caller; that wait for the next lease; with something in flight
      # in_flight, backlog:: requests that the servers have yet to answer, and the time that these are expected to take
      # queue:: length, alone: callers that wait for room, and for a connection of their own; waited, mean, p99: how often
      #   callers have, and for how long
      # requests, writes, reads:: sent, with how many system calls, and with how many their answers were read; requests_per_write, requests_per_read: the quotients
      # opened, reconnects, lost, failed:: connections: ever opened, those in place of lost ones among them; lost; not to be had
      # abandoned, cancelled, quarantined:: statements that their callers abandoned after they had been sent; how often a server was asked
      #   to cancel; connections taken out of use because what a cancel would do to their next query was unknown
      # statements_cached:: SQL texts that are known
      # trunks:: an Array with some of these for each connection, and its server
      # hosts:: an Array with server, open (connections), role and timeline (as it was last connected to), last (whether the last connection went
      #   there), avoided (whether it is tried last for a while), error (why not, or nil) and ago (since when that is known) for each host
      # switches:: how often a new connection went to another host than the one before, where hosts are tried in order
      # replicas:: of a client with replicas, of each host: server, open, role, timeline, avoided and error as above; lag, seconds that it was behind when it
      #   was last asked; replayed, bytes; reads, share of all reads, p99, seconds; hedged, reads late elsewhere that were sent there, too; won, of these, answered first
      # group_commit:: the same figures, of the connections on which writes share their flush; unavailable, why there are none, or nil
      # statements:: by SQL text, without the literals of one that holds a password: count; mean and p99, what an execution took the server; wait, how long it was in flight
      #   behind others on average; long, the part of the executions that were sent as long ones
      #
      # What is counted is counted since the client was made, or its process forked; statements that have left the cache are forgotten.
      #
      # @return [Hash{Symbol => Object}]
      def stats
        { server: @config.server, pooled: @usual.pooled, **@pool.stats, **@trunks.stats(@pools), group_commit: @group_commit.stats, **@readers.to_h, statements_cached: @known.size, statements: @known.stats }
      end

      # Closes the connections that are not in use at this moment, and the others when they are through. Later queries open new ones. What was
      # seen of the cluster (its identifier and timeline) is forgotten.
      #
      # @return [nil]
      def disconnect
        @trunks.forget_cluster
        every_pool.each(&:renew)
        nil
      end

      # Closes every connection. Queries that wait for their answer get {Closed}, as does everything called later.
      def close
        every_pool.each(&:close)
        @trunks.close
        @unfinished.close
        nil
      end

      # @return [Integer] connections that are open
      def connection_count = every_pool.sum { |pool| pool.counts.values.sum }
      # @return [Boolean]
      def closed? = @pool.closed?

      # @return [String] the server, and how many connections are open; no password
      def inspect = "#<#{self.class} #{@config.server} #{@pool.counts.map { |name, count| "#{name}=#{count}" }.join(" ")}>"

      # @return [Types] of the server, for {Types#register}
      attr_reader :types

      private

      attr_reader :listener, :readers

      def every_pool = [*@pools, *@readers&.pools]
      def open_writer(pool) = @trunks.open_writer(pool, @known.table[SharedFlush::SQL])

      # What this library itself asks is decoded as usual, and is not ended by a statement_timeout that is meant for the caller's
      # statements, nor compiled as its costs are estimated under the caller's settings.
      def look_up(sql, parameters)
        held = @sessions.held
        return with(decode: {}, settings: LocalSettings::OWN).query(sql, *parameters).rows unless held&.in_transaction?

        OwnSavepoint.run(held) { with(decode: {}).query(sql, *parameters).rows }
      end
    end
  end
end
