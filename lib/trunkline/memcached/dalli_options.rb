# frozen_string_literal: true

module Trunkline
  module Memcached
    # Options of Dalli that this client does not have: those with another name are translated, those that have no use here are dropped with a warning,
    # and those that are not supported are refused.
    module DalliOptions # :nodoc:
      SHARED = "all callers share one connection to each server"
      NEEDLESS = {
        pool: SHARED, pool_size: SHARED, pool_timeout: SHARED, threadsafe: "every client is",
        connect_timeout: "timeout: holds for the whole call, connecting included",
        keepalive: "every connection is kept alive", sndbuf: "the system chooses it", rcvbuf: "the system chooses it",
        value_max_bytes: "the server says what is too large for it (ValueTooLarge), and max_value: limits what is accepted",
        socket_max_failures: "a server that is silent for half of timeout: is left alone until it answers",
        socket_failure_delay: "a server that is silent for half of timeout: is left alone until it answers",
        silence_marshal_warning: "there is no such warning",
        otel_db_statement: "middlewares see every command", otel_peer_service: "middlewares see every command"
      }.freeze
      REFUSED = {
        error_handler: "write on_error:, which gets the error (in a Rails store it is error_handler:)",
        compression_max_size: "write max_value:"
      }.freeze
      private_constant :SHARED, :NEEDLESS, :REFUSED

      module_function

      # @param options [Hash{Symbol => Object}] as Dalli or {Trunkline.memcached} takes them
      # @return [Hash{Symbol => Object}] as {Trunkline.memcached} takes them
      # @raise [ArgumentError] one is not supported
      def translate(options)
        options = options.dup
        timeout = options.delete(:socket_timeout)
        options[:timeout] = timeout if timeout && !options.key?(:timeout)
        check_protocol(options.delete(:protocol))
        REFUSED.each { |name, instead| raise ArgumentError, "#{name}: #{instead}" if options.key?(name) }
        (NEEDLESS.keys & options.keys).each do |name|
          options.delete(name)
          warn("Trunkline.memcached: #{name}: is not needed, as #{NEEDLESS.fetch(name)}")
        end
        options
      end

      def check_protocol(protocol)
        return if protocol.nil? || protocol.to_s == "meta"

        raise ArgumentError, "protocol: #{Argument.shown(protocol)} is not supported: leave it out, for the meta protocol of memcached 1.6.10 and newer"
      end
      private_class_method :check_protocol
    end
    private_constant :DalliOptions
  end
end
