# frozen_string_literal: true

require "forwardable"
require_relative "likeness"
require_relative "raw_connection"

module Sequel
  module Trunkline
    # What Sequel uses as a connection: it reserves a server connection at its first query, and returns it, reset, when it is closed. It has the
    # methods of PG::Connection, and passes for one in `is_a?` and `===`.
    class Connection
      Likeness.give(self, "PG::Connection", "Sequel::Postgres::Adapter")
      extend Forwardable

      # @param db [Database]
      # @param source [Pool::Source]
      # @param holder [#alive?] when it is not alive any more, the connection may be closed
      def initialize(db, source, holder)
        @db = db
        @source = source
        @session = ::Trunkline::Postgres::AdapterInterface.of(source.client).virtual_session("Sequel", holder: holder)
        @depth = 0
        @kept = @ended = @taken_away = false
      end

      # Runs one statement; without arguments also several, separated by semicolons.
      #
      # @param sql [String]
      # @param args [Array, nil] for $1, $2, ...
      # @param prepare [Boolean] whether the server session keeps the statement prepared
      # @param log_sql [String] the text that is logged
      # @yieldparam result [::Trunkline::Postgres::Result]
      # @return [Object, Integer] what the block returned; without one, the number of affected rows
      # @raise [::Trunkline::Error]
      def execute(sql, args = nil, prepare: !args.nil?, log_sql: sql)
        raise ::Trunkline::Closed, "the connection is closed" if @ended

        args = @db.parameters_of(args, self, @session) if args
        result = @db.log_connection_yield(log_sql, self, args) { @session.query(sql, args || [], prepare: prepare) }
        block_given? ? yield(result) : result.affected_rows || 0
      end

      # Begins a COPY, which the caller must end.
      #
      # @param sql [String]
      # @return [::Trunkline::Postgres::Copy]
      # @raise [::Trunkline::Error]
      def copy(sql) = @db.log_connection_yield(sql, self) { @session.copy(sql) }

      # Waits for a notification, after LISTEN.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [::Trunkline::Postgres::Notification, nil] nil: none arrived in time
      # @raise [::Trunkline::Error]
      def wait_for_notification(timeout = nil) = @session.wait_for_notification(timeout)

      # Also drops notifications that have arrived. A lost connection does not listen anyway.
      def stop_listening
        execute("UNLISTEN *")
        nil while wait_for_notification(0)
      rescue ::Trunkline::Error
        nil
      end

      # @return [Boolean] whether a transaction is open
      def in_transaction? = @session.status != "I" && !@session.broken?

      # @return [Boolean] whether the server reads a backslash in a literal as an escape here
      def backslashes_escape? = @session.reserved_setting("standard_conforming_strings") == "off"

      # Cancels abandoned requests, so that the connection is usable again.
      def settle = @session.settle

      # Runs the block, in which the caller holds the connection.
      def hold(&block)
        @depth += 1
        @session.together(&block)
      ensure
        @depth -= 1
        close if @depth.zero? && !@kept
      end

      # Reserves the connection for the caller until it is closed.
      #
      # @return [Connection] this one
      def keep
        @kept = true
        self
      end

      # Whether it is held or kept.
      def open? = @depth > 0 || @kept

      # Closes it on behalf of its caller.
      def take_away
        @taken_away = true
        close
      end

      def taken_away? = @taken_away

      # Returns the server connection. May be called more than once.
      def close
        @ended = true
        @kept = false
        @raw ? @raw.finish : @session.reset
      end
      alias finish close

      # @see PG::Shape::Executing#transaction
      def transaction = raw.transaction { yield self }

      def_delegators :raw, *(::Trunkline::PG::Shape.public_instance_methods - public_instance_methods - [:method_missing])

      # @raise [NoMethodError] for methods of pg's connections that do not exist here, with an alternative
      def method_missing(name, ...) = RawConnection.absent?(name) ? raw.public_send(name, ...) : super

      def respond_to_missing?(_name, _private = false) = false

      # @return [String]
      def inspect = "#<#{self.class} #{@source.config.server}#{" closed" if @ended}>"

      private

      def raw
        raise Likeness.foreign(::Trunkline::Closed.new("the connection is closed"), self) if @ended

        @raw ||= RawConnection.new(@source, @session, self)
      end
    end

    # For callers that hold no connection: their statements use all open connections.
    class Shared
      # @param pool [Pool]
      # @param db [Database]
      # @param server [Symbol, Hash]
      def initialize(pool, db, server)
        @pool = pool
        @db = db
        @server = server
        @interface = ::Trunkline::Postgres::AdapterInterface.of(pool.client(server))
      end

      # As {Connection#execute}. A statement that leaves session state makes the caller keep a connection.
      def execute(sql, args = nil, prepare: !args.nil?, log_sql: sql, &block)
        args = @db.parameters_of(args, self, @interface) if args
        result = @db.log_connection_yield(log_sql, nil, args) { @interface.query(sql, args || [], prepare: prepare) }
        return @pool.keep(@server).execute(sql, args, prepare: prepare, log_sql: log_sql, &block) unless result

        block ? yield(result) : result.affected_rows || 0
      end

      # @return [Boolean] false: shared connections keep the setting with which they start
      def backslashes_escape? = false
    end
  end
end
