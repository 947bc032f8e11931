# frozen_string_literal: true

require_relative "middleware_check"
require_relative "operation"

module Trunkline
  # What goes around the calls of a client: to measure, log or trace them. A middleware is a module with some of the methods
  # below, each of which calls `super` once, for what it goes around, and returns what that returns. What that raises is an
  # {Error}. Of several middlewares the last one given is the outermost.
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
  # They run in the fiber or thread of the caller, which waits for them too. A client without them does nothing for their sake.
  class Middlewares
    # @param given [Array<Module>] as an option
    # @return [Array<Module>]
    # @raise [TypeError] it is no Array
    def self.listed(given) # :nodoc:
      return given if Array === given

      raise TypeError, "middlewares must be an Array of Modules, not #{Argument.shown(given)}"
    end

    # @param middleware [Module]
    # @return [Middlewares] these, and the module around them
    # @raise [TypeError] it is no module
    # @raise [ArgumentError] a public method of it goes around nothing, or does not take what it would be given
    def within(middleware) # :nodoc:
      raise TypeError, "a middleware is a Module, not #{Argument.shown(middleware)}" unless Module === middleware && middleware.instance_of?(Module)

      MiddlewareCheck.check(middleware)
      Class.new(self.class) { include middleware }.new
    end

    # Has these go around one call of a client: {#operation}, and within it the method for its kind.
    #
    # @param given [Operation]
    def around(given, &call) = operation(given) { given.within(self, &call) } # :nodoc:

    # Goes around each call of a client, whatever its kind: what all the methods below see, and streams, COPY and scripts by their own names. When
    # `super` has returned or raised, the operation knows how long it took, what of that the server worked on it, its rows and its error.
    #
    # @param _operation [Operation]
    def operation(_operation) = yield

    # Goes around opening one connection.
    #
    # @param _server [String] as errors call it: "host:port/database", or "host:port"
    def connect(_server) = yield

    # Hears that a new connection goes to another host than the one before, of a PostgreSQL client whose hosts are tried in order. It goes around
    # nothing: `super` has the others hear of it.
    #
    # @param _from [String] "host:port/database"
    # @param _to [String]
    # @param _server [String] all the client's
    def switch(_from, _to, _server) = yield

    # Goes around a statement of {Postgres::Querying#query}, first or value, with the attempts that it takes; around a script; around a
    # COPY or a stream with all its rows, until its end or its block's; and around the LISTEN of a subscription, not what comes to it.
    # It returns what was asked for, a {Postgres::Result} or a value.
    #
    # @param _sql [String]
    # @param _parameters [Array] as they were given; they may be secrets
    # @param _server [String]
    def query(_sql, _parameters, _server) = yield

    # Goes around sending a statement of {Postgres::Querying#async}, and returns its {Postgres::Future}.
    #
    # @param _sql [String]
    # @param _parameters [Array]
    # @param _server [String]
    def async(_sql, _parameters, _server) = yield

    # Goes around a batch, with the attempts that it takes, and returns the Array of {Postgres::Result}s.
    #
    # @param _queries [Array<Array(String, Array)>] SQL and parameters of each statement
    # @param _server [String]
    def batch(_queries, _server) = yield

    # Goes around a transaction from before its block until it is committed or rolled back, with all its retries. Its queries
    # go through {#query} each. Savepoints do not come here.
    #
    # @param _options [Hash] those of {Postgres::Client#transaction}
    # @param _server [String]
    def transaction(_options, _server) = yield

    # Goes around one command for a key, or for many keys, of a memcached client.
    #
    # @param _name [String] memcached's own: "mg" (get), "ms" (set, add, replace, append, prepend), "md" (delete), "ma" (incr,
    #   decr), "version", "flush_all", "stats"
    # @param _keys [Array<String>] as they are sent; none for commands without
    # @param _server [String] all the client's, or the one that is asked by its name
    def command(_name, _keys, _server) = yield
  end
end
