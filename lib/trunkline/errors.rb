# frozen_string_literal: true

require_relative "argument"
require_relative "errors/shortened_sql"

module Trunkline
  # Every error this library raises on purpose. It answers what a caller needs to decide what to do next: may the
  # request have had an effect, is it worth another try, which statement, which server.
  class Error < StandardError
    # @return [String, nil] the statement, on one line and shortened; never its parameters
    attr_reader :sql

    # @return [String, nil] "host:port/database"; never a password
    attr_reader :server

    # @return [Array<Postgres::Result, Error, nil>, nil] of the first error of a batch: what came of each of its statements, in
    #   order; nil for one of which nothing remains. For other errors it is nil
    attr_accessor :batch

    # @param message [String] what went wrong, one sentence
    # @param sql [String, nil] the statement this is about
    # @param server [String, nil] label of the server this is about
    # @param sent [Boolean] whether any byte of the request reached the server
    # @param retriable [Boolean, nil] nil lets the class decide
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

    # Whether the same call, made again, is both safe (the failed one had no effect) and sensible (it may well succeed).
    # A call inside a transaction is tried again by running the whole transaction again.
    #
    # @return [Boolean]
    def retriable? = @retriable.nil? ? retriable_by_nature? : @retriable

    # @return [String, nil] the five characters by which a server names its errors; nil unless a server reported this
    def sqlstate = nil

    # The message and below it all that the server said of it, as psql shows it: the line of the statement with a caret under the position,
    # DETAIL, HINT, QUERY and CONTEXT. Ruby 3.2 and later show it where an exception is not rescued, and in {#full_message}.
    #
    # @param highlight [Boolean] whether with the marks of a terminal
    # @return [String]
    def detailed_message(highlight: false, **options)
      shown = defined?(super) ? super : message
      [shown, *supplement].join("\n")
    end

    unless Exception.method_defined?(:detailed_message)
      # As Exception#full_message, with {#detailed_message}: before Ruby 3.2 it has the message alone.
      #
      # @return [String]
      def full_message(**options) = Exception.instance_method(:full_message).bind_call(exception(detailed_message), **options)
    end

    # Takes the statement out of the message, for hosts that write values into it.
    #
    # @return [Error] this one
    def hide_sql # :nodoc:
      @hides_sql = !sql.nil?
      self
    end

    # @return [String] the message
    def to_s = @hides_sql ? super.sub(context) { context(nil) }.rstrip : super

    # @return [Boolean] whether the server refuses a connection because it has as many as it takes, in all or of the user or the database
    def server_full? = sqlstate == TooManyConnections::SQLSTATE # :nodoc:

    private

    def retriable_by_nature? = false

    # @return [Array<String>] what {#detailed_message} shows below the message
    def supplement = []

    def context(shown = @sql)
      state = sqlstate
      parts = [state && "SQLSTATE #{state}", @server && "server #{@server}", shown && "SQL: #{shown}"].compact
      "(#{parts.join("; ")})" unless parts.empty?
    end
  end

  # The request never left this process: it can be tried again anywhere.
  class NotSent < Error
    private

    def retriable_by_nature? = true
  end

  # The request was sent and the connection ended before the answer: it may or may not have had its effect.
  class Indeterminate < Error
    # Takes what {Error#initialize} takes, with `sent` true unless told otherwise.
    def initialize(message = nil, sent: true, **context) = super
  end

  # The time given for a call is over. When nothing had been sent yet, or the server has ended the statement, nothing of it
  # has happened, and it may be tried again.
  class Deadline < Error
    private

    def retriable_by_nature? = !sent?
  end

  # The caller itself has cancelled it.
  class Cancelled < Error; end

  # A limit on waiting requests is reached; the request was not sent.
  class Overloaded < Error
    private

    def retriable_by_nature? = true
  end

  # The call would share what must not be shared: a statement would change a server session that other callers share, or a
  # session or transaction is used by another fiber or thread at this moment.
  class SharedStateError < Error; end

  # The client, or the session or transaction the call belongs to, is closed.
  class Closed < Error; end

  # No connection could be made, or it was lost before it was used.
  class ConnectionError < Error
    # @return [Array<Error>] why each of several hosts could not be connected to, in the order in which they were tried
    attr_reader :reasons

    # @return [Float, nil] seconds after which it is worth trying again; nil: that is not known
    attr_accessor :retry_after # :nodoc:

    # @param reasons [Array<Error>]
    def initialize(message = nil, reasons: [], **context)
      @reasons = reasons.dup.freeze
      super(message, **context)
    end

    # @return [String, nil] what the last of several servers that said something said
    def sqlstate = reasons.filter_map(&:sqlstate).last

    private

    def retriable_by_nature? = !sent?
  end

  # The server is not of the kind that target_session_attrs asks for.
  class UnsuitableServer < ConnectionError; end

  # The server is of another cluster than the first one that was connected to: its system identifier differs.
  class WrongCluster < ConnectionError; end

  # No replica takes the read: none is there, or none is as fresh as was asked for, and the primary is not to take it either.
  class NoReplica < ConnectionError; end

  # The other side sent bytes that make no sense, or what was to be sent cannot be said in the protocol.
  class ProtocolError < Error; end

  # The server has carried out the statement, and its answer cannot be given: a row is longer than max_message, or a value is one that no
  # object can be made of. The `cause` is the error that making it raised, if any. No other caller is concerned.
  class UnreadableResult < Error; end

  # A connection string, a keyword or an environment variable asks for what cannot be.
  class ConfigError < Error; end
end

require_relative "errors/error_report"
require_relative "errors/server_error"
require_relative "errors/sqlstate"
require_relative "errors/login_error"
require_relative "errors/outdated_statement"
require_relative "errors/without_values"
