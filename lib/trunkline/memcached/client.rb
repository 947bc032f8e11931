# frozen_string_literal: true

require "did_you_mean"
require_relative "../middlewares"
require_relative "../trunk/main_ractor"
require_relative "address"
require_relative "administration"
require_relative "cluster"
require_relative "counting"
require_relative "dalli_options"
require_relative "errors"
require_relative "fetching"
require_relative "keys"
require_relative "other_commands"
require_relative "reading"
require_relative "storing"
require_relative "time_to_live"
require_relative "values"
require_relative "writing"

module Trunkline
  # The memcached client, and the classes of its arguments and results.
  module Memcached
    # A memcached client for any number of fibers and threads at once. All share one connection to each server: each command is sent without waiting
    # for the answers to those before it. Connects on first use.
    #
    # @see Trunkline.memcached
    class Client
      include Reading
      include Writing
      include Counting
      include Fetching
      include Storing
      include Administration
      include OtherCommands
      include MainRactor

      KEYS = { namespace: :namespace, namespace_separator: :separator, digest_class: :digest_class }.freeze
      VALUES = %i[serializer compressor compress compression_min_size raw string_fastpath max_value].freeze
      # The most to one server: each uses a port of this machine, or a descriptor.
      MOST_CONNECTIONS = 65_535
      private_constant :KEYS, :VALUES, :MOST_CONNECTIONS

      # Takes the arguments of {Trunkline.memcached}.
      def initialize(servers, **options)
        stay_in_main_ractor
        begin_with(Address.all(servers), **DalliOptions.translate(options))
      end

      # Yields this client, as a pool of connections does.
      #
      # @raise [ArgumentError] there is no block
      def with
        raise ArgumentError, "with takes a block: with { |cache| ... }" unless block_given?

        yield self
      end

      # Adds a middleware, for later commands of this client.
      #
      # @param middleware [Module] becomes the outermost one: see {Middlewares}
      # @return [self]
      # @raise [TypeError] it is not a module
      def use(middleware)
        @middlewares = (@middlewares || Middlewares.new).within(middleware)
        @cluster.observe(@middlewares)
        self
      end

      # Closes every connection. Calls that wait for an answer raise {Closed}, as do all later calls.
      def close
        @cluster.close
        nil
      end

      # @return [String] the servers
      def inspect = "#<#{self.class} #{@cluster.servers.map(&:name).join(", ")}>"

      private

      def begin_with(addresses, timeout: 1, expires_in: nil, cache_nils: false, connections: 1, failover: true, down_retry_delay: 30,
                     failback: :flushed,
                     ssl_context: nil, on_error: nil, raise_errors: false, username: nil, password: nil, **options)
        check_seconds(timeout, down_retry_delay)
        raise ArgumentError, "connections must be an Integer of 1 to #{MOST_CONNECTIONS}" unless Argument.is?(connections, Integer) && connections.between?(1, MOST_CONNECTIONS)
        raise ArgumentError, "on_error must have call, as a Proc has" unless nil == on_error || Argument.responds?(on_error, :call)

        refuse(options.keys - KEYS.keys - VALUES)
        @keys = Keys.new(**options.slice(*KEYS.keys).transform_keys(KEYS))
        @values = Values.new(**options.slice(*VALUES))
        @time_to_live = TimeToLive.number(expires_in || 0)
        @life = life(nil)
        @cache_nils = cache_nils
        @middlewares = nil
        access = Connector::Access.of(ssl_context, username, password)
        @cluster = Cluster.new(addresses, timeout: timeout, failover: failover, connections: connections, longest_pause: down_retry_delay,
                                          access: access, failback: Failback.checked(failback), on_error: on_error, raise_errors: raise_errors,
                                          max_value: options.fetch(:max_value, Values::MAX_VALUE))
      end

      def check_seconds(timeout, down_retry_delay)
        unless nil == timeout || (Argument.is?(timeout, Numeric) && timeout.positive?)
          raise ArgumentError, "timeout must be a positive number of seconds, not #{Argument.shown(timeout)}"
        end
        return if Argument.is?(down_retry_delay, Numeric) && !down_retry_delay.negative?

        raise ArgumentError, "down_retry_delay must be a number of seconds, not #{Argument.shown(down_retry_delay)}"
      end

      def refuse(unknown)
        return if unknown.empty?

        server = (unknown & %i[host hosts hostname port server servers url uri address]).first
        raise ArgumentError, "there is no option #{server}: a server is the first argument, as \"host:port\", and several are an Array" if server

        names = method(:begin_with).parameters.filter_map { |kind, name| name if kind == :key } + KEYS.keys + VALUES
        spelling = DidYouMean::SpellChecker.new(dictionary: names).correct(unknown.first).first
        raise ArgumentError, "there is no option #{unknown.map(&:inspect).join(", ")}#{", did you mean #{spelling}?" if spelling}"
      end
    end
  end
end
