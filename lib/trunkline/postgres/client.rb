# frozen_string_literal: true

require_relative "../config"
require_relative "../trunk/pool"
require_relative "codec"
require_relative "connector"
require_relative "querying"
require_relative "session"
require_relative "session_functions"
require_relative "sharing"
require_relative "statements"
require_relative "types"

module Trunkline
  module Postgres
    # A PostgreSQL client for any number of fibers and threads at once. Their queries share a few connections, each query
    # sent behind the others without waiting for their answers; transactions and sessions get a connection of their own.
    # Connects on first use.
    #
    # @see Trunkline.postgres
    class Client
      include Querying

      WHERE_IT_SLEEPS = { Object => :on_blocking }.freeze
      private_constant :WHERE_IT_SLEEPS

      # @param config [Config]
      # @param connections [Integer] the most that queries share
      # @param max_connections [Integer] the most in all, those of transactions and sessions included; at least 2
      # @param keys [:string, :symbol] of the Hashes that results yield
      # @param session_functions [Array<String>] functions of your own that change the session they are called in, each "name" or
      #   "schema.name"
      # @param limits keywords of {Limits}
      # @raise [ArgumentError] a number, a name or `keys` is out of range
      def initialize(config, connections: 4, max_connections: 16, keys: :string, session_functions: [], **limits)
        check_budget(connections, max_connections)
        @config = config
        @limits = Limits.new(**limits)
        @result_class = Answers.result_class(keys)
        @known = Statements.new(functions: SessionFunctions.parse(session_functions)) { |statement| check_sharing(statement) }
        @statements = @known.shared_table
        @types = Types.new
        @answers = Answers.new(@types, config.server, most_futures: @limits.max_futures) { |sql, parameters| query(sql, *parameters).rows }
        @pool = Pool.new(connections: connections, most: max_connections, limits: @limits, server: config.server) { |pool| connect(pool) }
        @holder = :"trunkline_session_#{object_id}"
        @held = 0
        @lock = Lock.new
      end

      # Runs several statements, separated by semicolons, without parameters, on a session of their own.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql) = session { |session| session.execute_script(sql) }

      # Runs the block with a server session of its own. Meanwhile this caller's queries through the client go to it too.
      #
      # @yieldparam session [Session]
      # @return [Object] what the block returned
      # @raise [Error] no connection could be had
      def session(&block)
        held = Thread.current[@holder]
        held ? yield(held) : hold(&block)
      end

      # Runs the block in a transaction on a connection of its own: commits at its normal end, and rolls back when it is
      # left in any other way. Meanwhile this caller's queries through the client go to it too. {Rollback} rolls back and
      # goes no further. Within a transaction it is a savepoint.
      #
      # @yieldparam session [Session]
      # @return [Object, nil] what the block returned; nil after {Rollback}
      # @raise [Error] no connection could be had, or COMMIT failed; {Indeterminate} when the connection was lost meanwhile
      def transaction(&block) = session { |session| session.transaction(&block) }

      # What a statement asks of the server session that it runs in. Queries of :shareable and :alone go over connections that
      # others share; all others need a {#session} or a {#transaction}, and raise {SharedStateError} outside of one.
      #
      # @param sql [String] which is not sent
      # @return [Symbol] :shareable; :alone, which leaves nothing behind either, and refuses to run within a transaction;
      #   :transaction, :savepoint, :setting, :session, :listen, :copy, :script, or :unknown
      # @raise [ArgumentError, TypeError, EncodingError] the SQL cannot be sent
      def verdict(sql) = @known.table[sql].verdict

      # Closes every connection. Queries that wait for their answer get {Closed}, as does everything called later.
      def close
        @pool.close
        nil
      end

      # @return [String] the server, and how many connections are open; no password
      def inspect = "#<#{self.class} #{@config.server} #{@pool.counts.map { |name, count| "#{name}=#{count}" }.join(" ")}>"

      # Whoever holds a session asks there: otherwise he would not see his own changes, and could wait for himself.
      def perform(request) # :nodoc:
        return @pool.perform(request) if @held == 0 || !(held = Thread.current[@holder])

        held.perform(request)
      end

      def dispatch(request) # :nodoc:
        held = Thread.current[@holder] unless @held == 0
        held ? held.dispatch(request) : @pool.dispatch(request)
      end

      private

      def check_budget(connections, max_connections)
        unless connections.is_a?(Integer) && connections.positive?
          raise ArgumentError, "connections must be a positive Integer, not #{connections.inspect}"
        end
        return if max_connections.is_a?(Integer) && max_connections >= [connections, 2].max

        raise ArgumentError, "max_connections must be an Integer of at least #{[connections, 2].max}, not #{max_connections.inspect}: " \
                             "transactions need a connection besides the shared ones"
      end

      def connect(pool)
        connection = Connector.connect(@config)
        codec = Codec.new(connection.parameters.dup, @limits.max_message)
        codec.input << connection.leftover
        Trunk.new(connection.io, codec, server: connection.server, pool: pool)
      end

      # Whoever holds a session may do there what he likes.
      def check_sharing(statement)
        raise Sharing.refusal(statement, @config.server) unless @held > 0 && Thread.current[@holder]
      end

      # A thread may be interrupted while it waits for the session, and while the block runs: not while the session changes
      # hands, or nobody would ever give it back.
      def hold
        session = nil
        Thread.handle_interrupt(WHERE_IT_SLEEPS) { session = take_session }
        yield session
      ensure
        Thread.handle_interrupt(WHERE_IT_SLEEPS) { give_back(session) if session }
      end

      def take_session
        trunk = @pool.check_out(Request.companion)
        session = Session.new(trunk, @known.table, @answers, @result_class)
        register(session, 1)
        session
      end

      # What could not be set back is closed, also when this is interrupted.
      def give_back(session)
        register(nil, -1)
        clean = session.finish
      ensure
        clean ? @pool.check_in(session.trunk) : session.trunk.close("the session was not left in order")
      end

      def register(session, change)
        Thread.current[@holder] = session
        @lock.synchronize { @held += change }
      end
    end
  end
end
