# frozen_string_literal: true

require_relative "argument"
require_relative "errors/shortened_sql"

module Trunkline
  # The base class of all errors that this library raises on purpose. It tells what a caller needs to decide what to do next: may the request have had
  # an effect, can it be repeated, which statement, which server.
  class Error < StandardError
    # @return [String, nil] the statement, on one line and shortened; never its parameters
    attr_reader :sql

    # @return [String, nil] "host:port/database"; never a password
    attr_reader :server

    # @return [Array<Postgres::Result, Error, nil>, nil] of the first error of a batch: the outcome of each of its statements, in order; nil for one
    #   that was rolled back. For other errors it is nil
    attr_accessor :batch

    # @param message [String] what went wrong, one sentence
    # @param sql [String, nil] the statement
    # @param server [String, nil] label of the server
    # @param sent [Boolean] whether any byte of the request reached the server
    # @param retriable [Boolean, nil] nil: the class decides
    def initialize(message = nil, sql: nil, server: nil, sent: false, retriable: nil)
      @sql = sql && ShortenedSQL.call(sql)
      @server = server
      @sent = sent
      @retriable = retriable
      super([message || self.class.name, context].compact.join(" "))
    end

    # Whether any byte of the request reached the server. False means that it had no effect, whatever the server does.
    #
    # @return [Boolean]
    def sent? = @sent

    # Whether the same call can be repeated safely (the failed one had no effect) and sensibly (it may well succeed). A call inside a transaction is
    # repeated by running the whole transaction again.
    #
    # @return [Boolean]
    def retriable? = @retriable.nil? ? retriable_by_nature? : @retriable

    # @return [String, nil] the server's error code of five characters; nil: not reported by a server
    def sqlstate = nil

    # The message, followed by all that the server reported, as psql shows it: the line of the statement with a caret under the position, DETAIL,
    # HINT, QUERY and CONTEXT. Ruby 3.2 and later show it for an exception that is not rescued, and in {#full_message}.
    #
    # @param highlight [Boolean] whether to use escape sequences of a terminal
    # @return [String]
    def detailed_message(highlight: false, **options)
      shown = defined?(super) ? super : message
      [shown, *supplement].join("\n")
    end

    unless Exception.method_defined?(:detailed_message)
      # The same as Exception#full_message, with {#detailed_message}: before Ruby 3.2 it contains the message alone.
      #
      # @return [String]
      def full_message(**options) = Exception.instance_method(:full_message).bind_call(exception(detailed_message), **options)
    end

    # Removes the statement from the message, for hosts that write values into the SQL.
    #
    # @return [Error] this one
    def hide_sql # :nodoc:
      @hides_sql = !sql.nil?
      self
    end

    # @return [String] the message
    def to_s = @hides_sql ? super.sub(context) { context(nil) }.rstrip : super

    # @return [Boolean] whether the server refuses a connection because a limit is reached, of the server, the user or the database
    def server_full? = sqlstate == TooManyConnections::SQLSTATE # :nodoc:

    private

    def retriable_by_nature? = false

    # @return [Array<String>] the lines of {#detailed_message} after the message
    def supplement = []

    def context(shown = @sql)
      state = sqlstate
      parts = [state && "SQLSTATE #{state}", @server && "server #{@server}", shown && "SQL: #{shown}"].compact
      "(#{parts.join("; ")})" unless parts.empty?
    end
  end

  # The request never left this process: it can be repeated anywhere.
  class NotSent < Error
    private

    def retriable_by_nature? = true
  end

  # The request was sent and the connection ended before the answer: it may or may not have had its effect.
  class Indeterminate < Error
    # Takes the arguments of {Error#initialize}, with `sent` true by default.
    def initialize(message = nil, sent: true, **context) = super
  end

  # The deadline of a call has passed. If nothing had been sent yet, or the server has ended the statement, it has had no effect, and may be repeated.
  class Deadline < Error
    private

    def retriable_by_nature? = !sent?
  end

  # The caller itself has cancelled the call.
  class Cancelled < Error; end

  # A limit on waiting requests is reached; the request was not sent.
  class Overloaded < Error
    private

    def retriable_by_nature? = true
  end

  # The call would share what must not be shared: a statement would change the session of a shared connection, or a session or transaction is in use
  # by another fiber or thread.
  class SharedStateError < Error; end

  # The client, or the session or transaction of the call, is closed.
  class Closed < Error; end

  # No connection could be opened, or it was lost before it was used.
  class ConnectionError < Error
    # @return [Array<Error>] why each of several hosts could not be connected to, in the order in which they were tried
    attr_reader :reasons

    # @return [Float, nil] seconds after which another attempt makes sense; nil: unknown
    attr_accessor :retry_after # :nodoc:

    # @param reasons [Array<Error>]
    def initialize(message = nil, reasons: [], **context)
      @reasons = reasons.dup.freeze
      super(message, **context)
    end

    # @return [String, nil] of the last server that has reported one
    def sqlstate = reasons.filter_map(&:sqlstate).last

    private

    def retriable_by_nature? = !sent?
  end

  # The server does not match target_session_attrs.
  class UnsuitableServer < ConnectionError; end

  # The server belongs to another cluster than the first one that was connected to: its system identifier differs.
  class WrongCluster < ConnectionError; end

  # No replica takes the read: there is none, or none fulfils its conditions, and the primary must not take it either.
  class NoReplica < ConnectionError; end

  # The other side sent invalid bytes, or a request cannot be expressed in the protocol.
  class ProtocolError < Error; end

  # The server has executed the statement, but its answer cannot be returned: a row is longer than max_message, or a value cannot be converted to an
  # object. The `cause` is the error of that conversion, if any. No other caller is affected.
  class UnreadableResult < Error; end

  # A connection string, a keyword or an environment variable is invalid.
  class ConfigError < Error; end
end

require_relative "errors/error_report"
require_relative "errors/server_error"
require_relative "errors/sqlstate"
require_relative "errors/login_error"
require_relative "errors/outdated_statement"
require_relative "errors/without_values"
