# frozen_string_literal: true

require_relative "errors"

module Trunkline
  # Writes a client's calls to a Logger: the statement, its total time and the server's, the time that it waited, its rows, and the server. In colours
  # if ActiveRecord's log has them.
  class QueryLog # :nodoc:
    # ActiveRecord's colours (ActiveRecord::LogSubscriber).
    COLOURS = { /\A\s*SELECT\b/i => 34, /\A\s*INSERT\b/i => 32, /\A\s*UPDATE\b/i => 33, /\A\s*DELETE\b/i => 31 }.freeze
    # The colours of names, and of other statements.
    NAME = 36
    OTHER = 35
    private_constant :COLOURS, :NAME, :OTHER

    # @param logger [#debug, #warn]
    # @param slow [Numeric, nil] seconds: only calls that take as long are written, as warnings; nil: all are, at level debug
    # @return [Module] a middleware
    # @raise [ArgumentError] the logger is invalid, or `slow` is not a number of seconds
    def self.middleware(logger, slow)
      log = new(logger, slow)
      Module.new { define_method(:operation) { |operation, &call| log.around(operation) { super(operation, &call) } } }
    end

    # Logs a client's calls, if it was given a logger.
    def self.attach(client, logger, slow)
      raise ArgumentError, "slow: selects the queries that are logged: pass logger: too" if slow && nil == logger

      client.use(middleware(logger, slow)) if logger
    end

    def initialize(logger, slow)
      raise ArgumentError, "logger must be a Logger, with debug and warn, not #{Argument.class_of(logger)}" unless %i[debug warn].all? { |name| Argument.responds?(logger, name) }
      raise ArgumentError, "slow must be a number of seconds, not #{Argument.shown(slow)}" unless nil == slow || (Argument.is?(slow, Numeric) && slow >= 0)

      @logger = logger
      @slow = slow
    end

    def around(operation)
      yield
    ensure
      write(operation)
    end

    private

    def write(operation)
      return @logger.debug { line(operation) } unless @slow

      @logger.warn { line(operation) } if operation.seconds >= @slow
    end

    def line(operation)
      facts = [times(operation), rows(operation), operation.server, operation.error&.class].compact.join("; ")
      text = operation.text && ShortenedSQL.discreet(operation.text)
      ["#{colour("#{operation.kind} (#{facts})", NAME)}", *(colour(text, of(text)) if text)].join("  ")
    end

    def times(operation)
      parts = { server: operation.server_seconds, waited: operation.waiting_seconds, block: operation.block_seconds }.compact
      told = parts.map { |name, seconds| "#{name} #{milliseconds(seconds)}" }.join(", ")
      "#{milliseconds(operation.seconds)} ms#{": #{told}" unless told.empty?}"
    end

    def rows(operation) = operation.rows && "#{operation.rows} row#{"s" unless operation.rows == 1}"
    def milliseconds(seconds) = format("%.1f", seconds * 1000)
    def of(text) = COLOURS.find { |pattern, _| pattern.match?(text) }&.last || OTHER
    def colour(text, number) = colours? ? "\e[1m\e[#{number}m#{text}\e[0m" : text

    # Whether ActiveRecord's log is in colours, if it is loaded.
    def colours? = defined?(::ActiveSupport::LogSubscriber) && ::ActiveSupport::LogSubscriber.colorize_logging
  end
  private_constant :QueryLog
end
