# frozen_string_literal: true

require_relative "trunkline/version"
require_relative "trunkline/errors"
require_relative "trunkline/interval"
require_relative "trunkline/open_range"
require_relative "trunkline/time_of_day"
require_relative "trunkline/config"
require_relative "trunkline/middlewares"
require_relative "trunkline/query_log"
require "trunkline/trunkline"
require_relative "trunkline/postgres/client"
require_relative "trunkline/memcached/client"
require_relative "trunkline/fibers/fiber_pool"
require_relative "trunkline/fibers/pipelined"

# Clients for PostgreSQL and memcached whose callers, fibers or threads by the thousand, share a few connections.
module Trunkline
  autoload :PG, "trunkline/pg/pg"
  autoload :Dashboard, "trunkline/rack/dashboard"
  autoload :StatsSocket, "trunkline/instrumentation/stats_socket"
  autoload :ActiveSupportEvents, "trunkline/instrumentation/active_support_events"
  autoload :OpenTelemetrySpans, "trunkline/instrumentation/open_telemetry_spans"

  private_constant :Bytes, :Clock, :Codec, :ConnectionState, :Flag, :Histogram, :Request, :Unmovable, :Waiter, :GCSentinel, :HostChoice

  # A PostgreSQL client. It connects on first use, and may be shared by any number of fibers and threads.
  #
  #   db = Trunkline.postgres("postgres:///app")
  #   db.query("SELECT id, name FROM users WHERE id = $1", 42).first  # => {"id" => 42, "name" => "Ada"}
  #   db.close
  #
  # @param conninfo [String, nil] a URI or keyword string as libpq takes; what it leaves out comes from the service file and
  #   the PG* variables; see guides/connecting.md
  # @param connections [Integer, nil] the most connections that queries share; nil: 4, or `max_connections` where that is less
  # @param max_connections [Integer] the most in all, with those of transactions and sessions; of 1, queries that share it and
  #   transactions take turns
  # @param keys [:string, :symbol] of the Hashes that results yield
  # @param prepare [Boolean] whether connections keep prepared statements, where no pooler loses them: see guides/running-it.md
  # @param session_functions [Array<String>, :detect] functions of your own that change the session they are called in, each "name" or
  #   "schema.name"; :detect: those whose source shows it, and the tables, views and types that reach them; see guides/what-shares-and-what-pins.md
  # @param decode [Hash{Integer, :default => :text, :value, #call}, nil] how types are decoded, where not as usual; see guides/types.md
  # @param group_commit [Boolean] whether writes of several callers share their wait for the server's disk; see guides/batches-and-settings.md
  # @param errors [:with_values, :without_values] whether errors quote values as the server does, in its message, DETAIL and CONTEXT, and the
  #   literals of the statement; see guides/deadlines-cancel-and-errors.md
  # @param replicas [Boolean] whether those of the hosts that are standbys take reads, by {Postgres::Client#replica}; see guides/replicas.md
  # @param middlewares [Array<Module>] what the calls go through, see {Middlewares}
  # @param logger [Logger, nil] what each call is written to, at the level debug: its statement, the time it took all in all and the server, its rows
  # @param slow [Numeric, nil] seconds: only what takes as long is written to the logger, as a warning
  # @param options host, port, user, password, dbname and the other keywords of a connection string, over which they win; pooler, :session or :transaction, and
  #   session_url, an address of the server itself, see guides/running-it.md; fleet, true or the number of connections for all processes, see
  #   guides/fleets.md; and those of {Limits::DEFAULTS}
  # @yieldparam client [Postgres::Client] closed at the block's end
  # @return [Postgres::Client, Object] what the block returned, where one is given
  # @raise [ConfigError] an option that does not exist, or a value that cannot be
  # @raise [TypeError] a middleware is no module
  def self.postgres(conninfo = nil, connections: nil, max_connections: 16, keys: :string, prepare: true, session_functions: [],
                    decode: nil, group_commit: false, errors: :with_values, replicas: false, middlewares: [], logger: nil, slow: nil,
                    **options, &block)
    MainRactor.check
    limits = options.slice(*Limits::DEFAULTS.keys)
    Config.check_names(options.keys, method(__method__).parameters.filter_map { |kind, name| name if kind == :key } + Limits::DEFAULTS.keys)
    config = Config.new(conninfo, **options.except(*limits.keys))
    client = Postgres::Client.new(config, connections: connections, max_connections: max_connections, keys: keys, prepare: prepare,
                                          session_functions: session_functions, decode: decode, group_commit: group_commit, errors: errors, replicas: replicas,
                                          **limits)
    give_out(client, middlewares, logger, slow, &block)
  end

  # A memcached client. It connects on first use, and may be shared by any number of fibers and threads.
  #
  #   cache = Trunkline.memcached("127.0.0.1:11211", namespace: "app")
  #   cache.set("greeting", "hello", 60)
  #   cache.get("greeting")  # => "hello"
  #
  # @param servers [String, Array<String>, nil] "host:port", "host:port:weight" or "/path/of/a/socket", several in an Array or
  #   separated by commas; nil: what MEMCACHE_SERVERS says, else the one on this machine
  # @param middlewares [Array<Module>] what the calls go through, see {Middlewares}
  # @param logger [Logger, nil] what each call is written to, at the level debug: its statement, the time it took all in all and the server, its rows
  # @param slow [Numeric, nil] seconds: only what takes as long is written to the logger, as a warning
  # @param options [Hash] those of Dalli too: socket_timeout is timeout; what is not needed is left out with a warning
  #   timeout: seconds from call to answer, connecting included, 1; nil: for ever
  #   connections: the most to each server, 1; more than one helps where several event loops ask at once
  #   failover: whether others have the keys of a server that is down, true
  #   down_retry_delay: seconds between two connections that ask whether such a server is back, at most, 30; the first time it is 1
  #   failback: what becomes of such a server when this client changed more than 10,000 of its keys on others meanwhile; fewer are deleted
  #     before it is used: :flushed, it is not used until it was flushed or restarted; :flush, this client flushes it; :stale, it is used
  #   on_error: is called with the error of each server that get_multi, set_multi, delete_multi or fetch goes on without
  #   raise_errors: whether these raise it instead, false
  #   namespace, namespace_separator: in front of every key; a String, or a Proc that is asked each time; and ":"
  #   digest_class: of keys that are too long, Digest::MD5
  #   expires_in: seconds that values live which are stored without a time, 0: for ever
  #   serializer: dump and load, Marshal; compressor: compress and decompress, zlib's deflate
  #   compress, compression_min_size: whether, and from how many bytes on, values are compressed, true and 4096
  #   raw: whether all values are Strings that go and come as they are, false
  #   string_fastpath: whether Strings in UTF-8 are stored as they are, with a flag that Dalli 5 understands, too; others read them as BINARY;
  #     false: they are serialized
  #   max_value: bytes of the longest value, when it is not compressed, 128 MiB; at most 1 GiB
  #   username, password: of a server that is started with -Y (ASCII authentication); nil: none
  #   ssl_context: an OpenSSL::SSL::SSLContext, whose set_params makes it check certificates; where it does, the name in them is checked too,
  #     whatever its verify_hostname says; nil: no TLS
  #   cache_nils: whether a stored nil is a value to {Memcached::Fetching#fetch}, false
  # @yieldparam client [Memcached::Client] closed at the block's end
  # @return [Memcached::Client, Object] what the block returned, where one is given
  # @raise [ConfigError, ArgumentError] a server that cannot be understood, an option that does not exist, or a value that cannot be
  # @raise [TypeError] a middleware is no module
  def self.memcached(*servers, middlewares: [], logger: nil, slow: nil, **options, &block)
    MainRactor.check
    client = Memcached::Client.new(servers.flatten.compact, **options)
    give_out(client, middlewares, logger, slow, &block)
  end

  # The client with its middlewares and its log; where there is a block, for as long as that runs.
  def self.give_out(client, middlewares, logger, slow)
    Middlewares.listed(middlewares).each { |middleware| client.use(middleware) }
    QueryLog.attach(client, logger, slow)
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end
  private_class_method :give_out

  # Gems that look for a class by the name of an adapter find this module, as sequel-rails does by `adapter: trunkline`.
  def self.new(*) # :nodoc:
    raise NoMethodError, "Trunkline is a module: a client is made by Trunkline.postgres or Trunkline.memcached; where a gem looks for a class by the name " \
                         'of an adapter, write adapter: postgres, and in the Gemfile gem "trunkline", require: "trunkline/sequel/postgres"'
  end
end

require_relative "trunkline/active_record/registration" if defined?(ActiveSupport)
