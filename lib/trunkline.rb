# frozen_string_literal: true

require_relative "trunkline/version"
require_relative "trunkline/errors"
require_relative "trunkline/interval"
require_relative "trunkline/open_range"
require_relative "trunkline/time_of_day"
require_relative "trunkline/other_names"
require_relative "trunkline/config"
require_relative "trunkline/middlewares"
require_relative "trunkline/query_log"
require "trunkline/trunkline"
require_relative "trunkline/postgres/client"
require_relative "trunkline/memcached/client"
require_relative "trunkline/fibers/fiber_pool"
require_relative "trunkline/fibers/pipelined"

# Clients for PostgreSQL and memcached. Thousands of callers, fibers or threads, share a few connections.
module Trunkline
  autoload :PG, "trunkline/pg/pg"
  autoload :Dashboard, "trunkline/rack/dashboard"
  autoload :StatsSocket, "trunkline/instrumentation/stats_socket"
  autoload :ActiveSupportEvents, "trunkline/instrumentation/active_support_events"
  autoload :OpenTelemetrySpans, "trunkline/instrumentation/open_telemetry_spans"

  # What makes a client in other libraries.
  OtherMakers = OtherNames.new(
    "Trunkline.postgres(...)" => %i[connect open pg postgresql client pool establish_connection], "Trunkline.memcached(...)" => %i[memcache dalli cache]
  )
  extend OtherMakers

  # The same, of the modules of each client.
  module Postgres
    OtherMakers = OtherNames.new("Trunkline.postgres(...)" => %i[connect open new client pool])
    private_constant :OtherMakers
    extend OtherMakers
  end

  module Memcached # :nodoc:
    OtherMakers = OtherNames.new("Trunkline.memcached(...)" => %i[connect open new client])
    private_constant :OtherMakers
    extend OtherMakers
  end

  private_constant :OtherMakers
  # What a client's class is called in other libraries.
  OTHER_CLASSES = %i[Client Connection Conn Database DB].freeze
  private_constant :OTHER_CLASSES

  def self.const_missing(name) # :nodoc:
    return super unless OTHER_CLASSES.include?(name)

    raise NameError.new("there is no class Trunkline::#{name}: a client is made by Trunkline.postgres(...) or Trunkline.memcached(...)", name, receiver: self)
  end

  private_constant :Bytes, :Clock, :Codec, :ConnectionState, :Flag, :Histogram, :Request, :Unmovable, :Waiter, :GCSentinel, :HostChoice

  # A PostgreSQL client. It connects on first use, and may be shared by any number of fibers and threads.
  #
  #   db = Trunkline.postgres("postgres:///app")
  #   db.query("SELECT id, name FROM users WHERE id = $1", 42).first  # => {"id" => 42, "name" => "Ada"}
  #   db.close
  #
  # @param conninfo [String, nil] a URI or keyword string as libpq takes; what it leaves out comes from the service file and
  #   the PG* variables; see guides/connecting.md
  # @param connections [Integer, nil] how many connections queries share, at most; nil: 4, or `max_connections` if that is less
  # @param max_connections [Integer] how many there are at most, including those of transactions and sessions; with 1, shared queries and transactions
  #   take turns
  # @param keys [:string, :symbol] of the Hashes that results yield
  # @param prepare [Boolean] whether connections keep prepared statements, unless a pooler loses them: see guides/pgbouncer.md
  # @param session_functions [Array<String>, :detect] functions of your own that change the session in which they are called, each "name" or
  #   "schema.name"; :detect: those whose source shows it, and the tables, views and types that call them; see guides/functions-that-keep-state.md
  # @param decode [Hash{Integer, :default => :text, :value, #call}, nil] how types are decoded, if not by default; see guides/types.md
  # @param group_commit [Boolean] whether writes of several callers wait together for the server's disk; see guides/batches-and-settings.md
  # @param errors [:with_values, :without_values] whether errors contain values that the server quotes in its message, DETAIL and CONTEXT, and the
  #   literals of the statement; see guides/deadlines-cancel-and-errors.md
  # @param replicas [Boolean] whether hosts that are standbys serve reads, by {Postgres::Client#replica}; see guides/replicas.md
  # @param middlewares [Array<Module>] through which the calls go, see {Middlewares}
  # @param logger [Logger, nil] receives each call at level debug: its statement, its total time and the server's, and its rows
  # @param slow [Numeric, nil] seconds: only calls that take as long are logged, as warnings
  # @param options host, port, user, password, dbname and the other keywords of a connection string, which they override; pooler, :session or
  #   :transaction, and session_url, an address of the server behind the pooler, see guides/pgbouncer.md; fleet, true or the number of connections
  #   for all processes, see guides/fleets.md; and those of {Limits::DEFAULTS}
  # @yieldparam client [Postgres::Client] closed at the block's end
  # @return [Postgres::Client, Object] with a block, what the block returned
  # @raise [ConfigError] an unknown option, or an invalid value
  # @raise [TypeError] a middleware is not a module
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
    set_up(client, middlewares, logger, slow, &block)
  end

  # A memcached client. It connects on first use, and may be shared by any number of fibers and threads.
  #
  #   cache = Trunkline.memcached("127.0.0.1:11211", namespace: "app")
  #   cache.set("greeting", "hello", 60)
  #   cache.get("greeting")  # => "hello"
  #
  # @param servers [String, Array<String>, nil] "host:port", "host:port:weight" or "/path/of/a/socket", several in an Array or separated by commas;
  #   nil: those of MEMCACHE_SERVERS, or the one on this machine
  # @param middlewares [Array<Module>] through which the calls go, see {Middlewares}
  # @param logger [Logger, nil] receives each call at level debug: its command, its total time and the server's
  # @param slow [Numeric, nil] seconds: only calls that take as long are logged, as warnings
  # @param options [Hash] including those of Dalli: socket_timeout is timeout; those that have no use here are ignored with a warning
  #   timeout: seconds from call to answer, connecting included, 1; nil: no limit
  #   connections: how many to each server, at most, 1; more than one helps if several event loops send requests at once
  #   failover: whether other servers store the keys of a server that is down, true
  #   down_retry_delay: longest pause in seconds between two attempts to connect to such a server, 30; the first pause is 1
  #   failback: how such a server is used again if this client has changed more than 10,000 of its keys on others meanwhile; fewer are deleted
  #     there first: :flushed, after it was flushed or restarted; :flush, after this client has flushed it; :stale, as it is
  #   on_error: is called with the error of each server that get_multi, set_multi, delete_multi or fetch skips
  #   raise_errors: whether these raise it instead, false
  #   namespace, namespace_separator: prefix of every key, a String, or a Proc that is called each time; and ":"
  #   digest_class: of keys that are too long, Digest::MD5
  #   expires_in: seconds until values expire that are stored without a time, 0: never
  #   serializer: dump and load, Marshal; compressor: compress and decompress, zlib's deflate
  #   compress, compression_min_size: whether, and from how many bytes on, values are compressed, true and 4096
  #   raw: whether all values are Strings that are stored and returned unchanged, false
  #   string_fastpath: whether Strings in UTF-8 are stored unserialized, with a flag that Dalli 5 understands, too; other clients read them as BINARY;
  #     false: they are serialized
  #   max_value: bytes of the longest value, uncompressed, 128 MiB; at most 1 GiB
  #   username, password: of a server that is started with -Y (ASCII authentication); nil: none
  #   ssl_context: an OpenSSL::SSL::SSLContext, whose set_params makes it verify certificates; if it does, the host name is verified too,
  #     whatever its verify_hostname is; nil: no TLS
  #   cache_nils: whether a stored nil is a value to {Memcached::Fetching#fetch}, false
  # @yieldparam client [Memcached::Client] closed at the block's end
  # @return [Memcached::Client, Object] with a block, what the block returned
  # @raise [ConfigError, ArgumentError] an address that cannot be parsed, an unknown option, or an invalid value
  # @raise [TypeError] a middleware is not a module
  def self.memcached(*servers, middlewares: [], logger: nil, slow: nil, **options, &block)
    MainRactor.check
    client = Memcached::Client.new(servers.flatten.compact, **options)
    set_up(client, middlewares, logger, slow, &block)
  end

  # Adds middlewares and logging to the client. With a block, yields the client and closes it afterwards.
  def self.set_up(client, middlewares, logger, slow)
    Middlewares.listed(middlewares).each { |middleware| client.use(middleware) }
    QueryLog.attach(client, logger, slow)
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end
  private_class_method :set_up

  # Some gems look up a class by the name of an adapter and find this module, as sequel-rails does for `adapter: trunkline`.
  def self.new(*) # :nodoc:
    raise NoMethodError, "Trunkline is a module: a client is made by Trunkline.postgres or Trunkline.memcached; where a gem looks for a class by the name " \
                         'of an adapter, write adapter: postgres, and in the Gemfile gem "trunkline", require: "trunkline/sequel/postgres"'
  end
end

# The bundle may have ActiveRecord and load it later: its registry gets the adapter's name all the same.
require "active_support" if defined?(Gem) && Gem.loaded_specs.key?("activerecord")
require_relative "trunkline/active_record/registration" if defined?(ActiveSupport)
