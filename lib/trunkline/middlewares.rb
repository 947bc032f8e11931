# frozen_string_literal: true

require_relative "middleware_check"
require_relative "operation"

module Trunkline
  # Hooks around the calls of a client: to measure, log or trace them. A middleware is a module with some of the methods below, each of which calls
  # `super` once, for the call that it wraps, and returns its result. Failures raise an {Error} there. Of several middlewares the last one given is
  # the outermost.
  #
  #   module SlowQueries
  #     def query(sql, parameters, server)
  #       start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  #       super
  #     ensure
  #       seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  #       warn "#{seconds.round(3)} s: #{sql}" if seconds > 0.1
  #     end
  #   end
  #
  #   db = Trunkline.postgres("postgres:///app", middlewares: [SlowQueries])
  #
  # They run in the fiber or thread of the caller, which waits for them too. A client without them has no cost.
  class Middlewares
    # @param given [Array<Module>] the option's value
    # @return [Array<Module>]
    # @raise [TypeError] it is not an Array
    def self.listed(given) # :nodoc:
      return given if Array === given

      raise TypeError, "middlewares must be an Array of Modules, not #{Argument.shown(given)}"
    end

    # @param middleware [Module]
    # @return [Middlewares] these, with the module as the outermost one
    # @raise [TypeError] it is not a module
    # @raise [ArgumentError] one of its public methods is not a hook, or has other arguments
    def within(middleware) # :nodoc:
      raise TypeError, "a middleware is a Module, not #{Argument.shown(middleware)}" unless Module === middleware && middleware.instance_of?(Module)

      MiddlewareCheck.check(middleware)
      Class.new(self.class) { include middleware }.new
    end

    # Runs one call of a client within these: {#operation}, and within it the hook for its kind.
    #
    # @param given [Operation]
    def around(given, &call) = operation(given) { given.within(self, &call) } # :nodoc:

    # Wraps each call of a client, whatever its kind: all those of the hooks below, and also streams, COPY and scripts under their own names. When
    # `super` has returned or raised, the operation has its duration, the server's part of that, its rows and its error.
    #
    # @param _operation [Operation]
    def operation(_operation) = yield

    # Wraps the opening of one connection.
    #
    # @param _server [String] its name in errors: "host:port/database", or "host:port"
    def connect(_server) = yield

    # Called when a new connection goes to another host than the one before, of a PostgreSQL client whose hosts are tried in order. It wraps nothing:
    # `super` calls the other middlewares.
    #
    # @param _from [String] "host:port/database"
    # @param _to [String]
    # @param _server [String] all hosts of the client
    def switch(_from, _to, _server) = yield

    # Wraps a statement of {Postgres::Querying#query}, first or value, with all its attempts; a script; a COPY or a stream with all its rows, until
    # its end or its block's; and the LISTEN of a subscription, not its notifications. It returns the result of the call, a {Postgres::Result} or a
    # value.
    #
    # @param _sql [String]
    # @param _parameters [Array] as given; they may be secrets
    # @param _server [String]
    def query(_sql, _parameters, _server) = yield

    # Wraps the sending of a statement of {Postgres::Querying#async}, and returns its {Postgres::Future}.
    #
    # @param _sql [String]
    # @param _parameters [Array]
    # @param _server [String]
    def async(_sql, _parameters, _server) = yield

    # Wraps a batch, with all its attempts, and returns the Array of {Postgres::Result}s.
    #
    # @param _queries [Array<Array(String, Array)>] SQL and parameters of each statement
    # @param _server [String]
    def batch(_queries, _server) = yield

    # Wraps a transaction from before its block until it is committed or rolled back, with all its retries. Each of its queries goes through {#query}.
    # Savepoints are not wrapped.
    #
    # @param _options [Hash] those of {Postgres::Client#transaction}
    # @param _server [String]
    def transaction(_options, _server) = yield

    # Wraps one command for a key, or for many keys, of a memcached client.
    #
    # @param _name [String] memcached's own: "mg" (get), "ms" (set, add, replace, append, prepend), "md" (delete), "ma" (incr,
    #   decr), "version", "flush_all", "stats"
    # @param _keys [Array<String>] as they are sent; empty for commands without keys
    # @param _server [String] all servers of the client, or the one for which the command is
    def command(_name, _keys, _server) = yield
  end
end
