# frozen_string_literal: true

require "forwardable"
require_relative "likeness"
require_relative "raw_connection"

module Sequel
  module Trunkline
    # What Sequel takes for a connection: it takes one to the server when it is first asked something, and gives it back when it is
    # closed, set back to how it was. It has the methods of PG::Connection, and is one for `is_a?` and `===`.
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
      # @param prepare [Boolean] whether the server session keeps the statement
      # @param log_sql [String] what is logged of it
      # @yieldparam result [::Trunkline::Postgres::Result]
      # @return [Object, Integer] what the block returned; without one, the number of rows that were changed
      # @raise [::Trunkline::Error]
      def execute(sql, args = nil, prepare: !args.nil?, log_sql: sql)
        raise ::Trunkline::Closed, "the connection is closed" if @ended

        args = @db.parameters_of(args, self, @session) if args
        result = @db.log_connection_yield(log_sql, self, args) { @session.query(sql, args || [], prepare: prepare) }
        block_given? ? yield(result) : result.affected_rows || 0
      end

      # Begins a COPY, which is the caller's to end.
      #
      # @param sql [String]
      # @return [::Trunkline::Postgres::Copy]
      # @raise [::Trunkline::Error]
      def copy(sql) = @db.log_connection_yield(sql, self) { @session.copy(sql) }

      # Waits for a notification, after LISTEN.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [::Trunkline::Postgres::Notification, nil] nil: none has come in time
      # @raise [::Trunkline::Error]
      def wait_for_notification(timeout = nil) = @session.wait_for_notification(timeout)

      # Forgets what has come, too. Where the connection is lost, that is so anyway.
      def stop_listening
        execute("UNLISTEN *")
        nil while wait_for_notification(0)
      rescue ::Trunkline::Error
        nil
      end

      # @return [Boolean] whether a transaction is open
      def in_transaction? = @session.status != "I" && !@session.broken?

      # @return [Boolean] whether the server reads a backslash in a literal as an escape here
      def backslashes_escape? = @session.own_setting("standard_conforming_strings") == "off"

      # Cancels abandoned requests, so that the connection can go on.
      def settle = @session.settle

      # Runs the block, in which the connection is the caller's.
      def hold(&block)
        @depth += 1
        @session.together(&block)
      ensure
        @depth -= 1
        close if @depth.zero? && !@kept
      end

      # The connection is the caller's until it is closed.
      #
      # @return [Connection] this one
      def keep
        @kept = true
        self
      end

      # Is it held or kept?
      def open? = @depth > 0 || @kept

      # It is closed though its caller has not done so.
      def take_away
        @taken_away = true
        close
      end

      def taken_away? = @taken_away

      # Gives the connection to the server back. May be called more than once.
      def close
        @ended = true
        @kept = false
        @raw ? @raw.finish : @session.reset
      end
      alias finish close

      # @see PG::Shape::Executing#transaction
      def transaction = raw.transaction { yield self }

      def_delegators :raw, *(::Trunkline::PG::Shape.public_instance_methods - public_instance_methods - [:method_missing])

      # @raise [NoMethodError] what pg's connections have, and these have not: with what to call instead
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

    # For callers that hold no connection: all that are open share the work.
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

      # As {Connection#execute}. What would leave something behind gets the caller a connection that it keeps.
      def execute(sql, args = nil, prepare: !args.nil?, log_sql: sql, &block)
        args = @db.parameters_of(args, self, @interface) if args
        result = @db.log_connection_yield(log_sql, nil, args) { @interface.query(sql, args || [], prepare: prepare) }
        return @pool.keep(@server).execute(sql, args, prepare: prepare, log_sql: log_sql, &block) unless result

        block ? yield(result) : result.affected_rows || 0
      end

      # @return [Boolean] false: connections that are shared keep the setting that they start with
      def backslashes_escape? = false
    end
  end
end
