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
  # The PostgreSQL client, and the classes of its arguments and results.
  module Postgres
    # A PostgreSQL client for any number of fibers and threads at once. Their queries share a few connections: each is sent without waiting for the
    # answers to those before it. Transactions and sessions reserve a connection. Connects on first use.
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
      # @param limits keywords of {Limits}; {Trunkline.postgres} documents the other keywords
      # @raise [ArgumentError] a number, a name or `keys` is out of range
      # @raise [TypeError] config is not a {Config}, but for example a String, as {Trunkline.postgres} takes it
      def initialize(config, connections: nil, max_connections: 16, keys: :string, prepare: true, session_functions: [], decode: nil, group_commit: false,
                     errors: :with_values, replicas: false, **limits)
        stay_in_main_ractor
        prepare, group_commit = Argument.flag(:prepare, prepare), Argument.flag(:group_commit, group_commit)
        replicas = Argument.flag(:replicas, replicas, "all hosts are named in the connection string, or in host:")
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
          address && ServerAccess.to(address, @responses, @epochs, @unfinished, prepare: prepare, unreachable: ->(trunk) { @roles.retire_host(trunk) },
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
                                       group_commit: @group_commit, shares_flushes: group_commit, detection: detection)
        @statements = @executor.statements
        @readers = Readers.of(@executor, @config, @trunks, @pool, @sessions, @epochs, connections: connections, most: max_connections, limits: limits,
                              known: @known, result_class: @result_class) if replicas
        @adapter_interface = AdapterInterface.new(@executor, @known, @epochs, @result_class, @readers) { |location, holder, ended| @sessions.lease_at(location, holder, ended) }
        @listener = Listener.new(@sessions, @responses)
      end

      # Runs several statements, separated by semicolons, without parameters, in a session.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      # @raise [ArgumentError] values were given
      def execute_script(sql, *unknown) = session { |session| session.execute_script(sql, *unknown) }

      # Runs the block with a server session, which reserves a connection at its first query. Meanwhile this caller's queries through the client use
      # that session too. Within a session or a transaction, it is that one.
      #
      # @yieldparam session [Session]
      # @return [Object] what the block returned
      # @raise [Overloaded] no connection became free in time
      # @raise [Error] no connection could be opened
      def session(&block)
        raise ArgumentError, "session takes a block: session { |session| ... }" unless block

        @executor.session(block) { |session| yield session.object }
      end

      # Runs the block in a transaction on a reserved connection, which is taken at its first query. It is committed when the block ends, also by
      # next, break or return. It is rolled back when the block is left in any other way: by an exception, a throw, or the end of the thread or fiber.
      # {Rollback} rolls back and is not raised further. Meanwhile this caller's queries through the client run in the transaction too. Within a
      # transaction it is a savepoint, and takes no options.
      #
      # @option options [Symbol, nil] :isolation :serializable, :repeatable_read, :read_committed, :read_uncommitted
      # @option options [Boolean, nil] :read_only
      # @option options [Boolean, nil] :deferrable of a serializable, read-only transaction: whether it may wait for a snapshot with which it cannot
      #   fail. Of these three, nil leaves it to the server's settings
      # @option options [Integer] :retries how often the whole block is run again, after a random pause, after a serialization failure (40001) or a
      #   deadlock (40P01)
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {Transaction#rollback}
      # @raise [InFailedSqlTransaction] the block ended normally, but a statement in it had failed: all is rolled back
      # @raise [Indeterminate] the connection was lost during COMMIT. If it is lost before, a {ConnectionError} is raised: nothing has happened
      # @raise [Overloaded] no connection became free in time
      # @raise [Error] no connection could be opened, or COMMIT failed
      def transaction(**options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction(options, block) { |transaction| yield transaction.object }
      end

      # Classifies a statement by what it does to the session that executes it. Statements of :shareable and :alone run on shared connections; all
      # others need a {#session} or a {#transaction}, and raise {SharedStateError} outside of one.
      #
      # @param sql [String] which is not sent
      # @return [Symbol] :shareable; :alone, which leaves no session state either, but cannot run within a transaction;
      #   :transaction, :savepoint, :setting, :session, :listen, :copy, :script, or :unknown
      # @raise [ArgumentError, TypeError, EncodingError] the SQL cannot be sent
      def classify(sql) = @known.table[Statements.text(sql)].classification

      # Adds a middleware, for later calls of this client, and of sessions and transactions that begin later.
      #
      # @param middleware [Module] becomes the outermost one: see {Middlewares}
      # @return [self]
      # @raise [TypeError] it is not a module
      def use(middleware)
        @responses.middlewares = (@responses.middlewares || Middlewares.new).within(middleware)
        @executor.instrument
        self
      end

      # Calls the block with each notice that the server sends with an answer, in the fiber or thread that made the request, before the request
      # returns. Notices of a stream or a COPY are passed on as they arrive. So are those of a statement that a thread runs outside of sessions and
      # transactions and that raises 64 or more in a row; other fibers and threads get a turn each 5 ms. Results contain their notices all the same.
      # Notices that arrive while no request waits are dropped. An exception of the block is raised by the request, whose statement is cancelled if it
      # still runs. Nothing is printed.
      #
      # @yieldparam notice [Hash{Symbol => String, Integer}] as in {Result#notices}; without a block, nothing is called any more
      # @return [nil]
      def on_notice(&block)
        @responses.on_notice = block
        nil
      end

      # Statistics as plain values; all times in seconds.
      #
      #   db.stats[:queue][:to_share]                        # => 0
      #   db.stats[:statements].max_by { |sql, statement| statement[:p99] }
      #
      # pooled:: whether a pooler was detected that gives each transaction another server session; nil: there was no connection yet
      # open, opening, shared, pinned, spare, busy:: numbers of connections: all open ones; being opened; shared by queries; leased to one caller;
      #   kept for the next lease; with requests in flight
      # in_flight, backlog:: requests that the servers have not answered yet, and the time that these are expected to take
      # queue:: to_share, to_pin: callers that wait for room on a shared connection, and for a connection to lease; waited, mean, p99: how many have
      #   waited, and for how long
      # requests, writes, reads:: requests sent, and the system calls that sent them and that read their answers; requests_per_write,
      #   requests_per_read: the quotients
      # opened, reconnects, lost, failed:: numbers of connections: opened so far; of these, opened to replace lost ones; lost; attempts that failed
      # abandoned, cancelled, quarantined:: requests that their callers abandoned after they had been sent; cancel requests; connections taken out of
      #   use because it was unknown what a cancel would do to their next query
      # statements_cached:: SQL texts in the cache
      # trunks:: an Array with some of these figures for each connection, and its server
      # hosts:: an Array with, for each host, server, open (connections), role and timeline (when it was last connected to), last (whether the last
      #   connection went there), avoided (whether it is tried last for a while), error (why not, or nil) and ago (age of that error)
      # switches:: how often a new connection went to another host than the one before, if hosts are tried in order
      # replicas:: of a client with replicas, for each host: server, open, role, timeline, avoided and error as above; lag, seconds that it was behind
      #   at its last check; replayed, bytes; reads, share of all reads, p99, seconds; hedged, slow reads of other hosts that were sent there, too;
      #   won, of these, answered first
      # group_commit:: the same figures, of the connections on which writes share their flush; unavailable, why there are none, or nil
      # statements:: by SQL text, without the literals of one that contains a password: count; mean and p99, execution time on the server; wait, mean
      #   time in flight behind other requests; long, the share of executions that were sent as long ones
      #
      # Counters begin when the client is made, or its process is forked; statements that have left the cache are not included.
      #
      # @return [Hash{Symbol => Object}]
      def stats
        { server: @config.server, pooled: @usual.pooled, **@pool.stats, **@trunks.stats(@pools), group_commit: @group_commit.stats, **@readers.to_h, statements_cached: @known.size, statements: @known.stats }
      end

      # Closes the connections that are not in use now, and the others when their requests are answered. Later queries open new ones. The identifier
      # and timeline of the cluster are forgotten.
      #
      # @return [nil]
      def disconnect
        @trunks.forget_cluster
        every_pool.each(&:renew)
        nil
      end

      # Closes every connection. Calls that wait for an answer raise {Closed}, as do all later calls. If the server has not processed all requests to
      # cancel, it waits for up to half a second.
      def close
        every_pool.each(&:close)
        @trunks.close
        @unfinished.close
        nil
      end

      # @return [Integer] number of open connections
      def connection_count = every_pool.sum { |pool| pool.counts.values.sum }
      # @return [Boolean]
      def closed? = @pool.closed?

      # @return [String] the server, and numbers of open connections; no password
      def inspect = "#<#{self.class} #{@config.server} #{@pool.counts.map { |name, count| "#{name}=#{count}" }.join(" ")}>"

      # @return [Types] of the server, for {Types#register}
      attr_reader :types

      private

      attr_reader :listener, :readers

      def every_pool = [*@pools, *@readers&.pools]
      def open_writer(pool) = @trunks.open_writer(pool, @known.table[SharedFlush::SQL])

      # For queries of the library itself: they are decoded by default, are not subject to a statement_timeout that is meant for the caller's
      # statements, and are not compiled by JIT, as the caller's settings may suggest.
      def look_up(sql, parameters)
        held = @sessions.held
        return with(decode: {}, settings: LocalSettings::OWN).query(sql, *parameters).rows unless held&.in_transaction?

        OwnSavepoint.run(held) { with(decode: {}).query(sql, *parameters).rows }
      end
    end
  end
end
