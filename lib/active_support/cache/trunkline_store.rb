# frozen_string_literal: true

require "trunkline"
require "active_support"
require "active_support/cache"
require "active_support/core_ext/array/extract_options"
require "active_support/core_ext/enumerable"
require "active_support/core_ext/numeric/time"
require "active_support/digest"

module ActiveSupport
  module Cache
    # Rails' cache in memcached, over one connection to each server that all threads and fibers share.
    #
    #   config.cache_store = :trunkline_store, "cache1.example:11211", "cache2.example:11211", { timeout: 0.5 }
    #
    # Keys and entries are compatible with :mem_cache_store. A cache that cannot be reached, or does not answer in time, counts as empty: that is
    # logged and reported, unless raise_errors is given. If one of several servers fails, only its own keys are missing. (A client that the caller
    # passes has its own on_error for that.)
    class TrunklineStore < Store
      KEY_MAX_SIZE = 250 # bytes
      KEY_SEPARATOR = ":hash:"
      ESCAPED = /[\x00-\x20%\x7F-\xFF]/n
      # How much longer than its lifetime memcached keeps an entry, so that a stale one can be served while it is computed again: as long as Rails'
      # own MemCacheStore and RedisCacheStore keep it. A bound, not tuned.
      GRACE = 5.minutes
      RAW = { raw: true }.freeze
      # Since Rails 8.1, every store shortens keys; the step before that has another name then.
      UNSHORTENED = Store.private_method_defined?(:expand_and_namespace_key)
      private_constant :KEY_MAX_SIZE, :KEY_SEPARATOR, :ESCAPED, :GRACE, :RAW, :UNSHORTENED

      def self.supports_cache_versioning? = true

      prepend Strategy::LocalCache

      # @param addresses [Array<String, Trunkline::Memcached::Client>] servers as {Trunkline.memcached} takes them, and last a Hash of its options and
      #   those of every cache store; or a client, which may be used elsewhere too
      # @option options [Boolean] :raise_errors whether a cache that cannot be reached raises; false
      # @option options [Boolean] :cache_nils the opposite of skip_nil
      # @option options [#call] :error_handler takes method:, returning: and exception: of a failure, instead of the report
      # @raise [Trunkline::ConfigError, ArgumentError] as {Trunkline.memcached}
      def initialize(*addresses)
        addresses = addresses.flatten
        options = addresses.extract_options!.dup
        options[:skip_nil] = !options.delete(:cache_nils) if options.key?(:cache_nils)
        @raise_errors = options.delete(:raise_errors) || false
        @error_handler = options.delete(:error_handler)
        super(options)
        @cache = client(addresses, options.except(*UNIVERSAL_OPTIONS))
      end

      # @return [String] the servers
      def inspect = "#<#{self.class} options=#{options.slice(*UNIVERSAL_OPTIONS).inspect} cache=#{@cache.inspect}>"

      # Increments a number that was written raw, or by this; sets it to `amount` if there is none.
      #
      # @return [Integer, nil] the new number; nil: the value is not a number, or the cache cannot be reached
      def increment(name, amount = 1, options = nil)
        count(:increment, name, amount, options) { |key, expires_in| @cache.incr(key, amount, expires_in, amount) }
      end

      # Decrements a number that was written raw, or by {#increment}, to 0 at least; sets it to 0 if there is none.
      #
      # @return [Integer, nil] the new number; nil: the value is not a number, or the cache cannot be reached
      def decrement(name, amount = 1, options = nil)
        count(:decrement, name, amount, options) { |key, expires_in| @cache.decr(key, amount, expires_in, 0) }
      end

      # Empties the servers, including other users' keys.
      def clear(_options = nil) = surviving(nil, :clear) { @cache.flush_all }

      # @return [Hash] as {Trunkline::Memcached::Administration#stats}
      def stats = @cache.stats

      private

      def client(addresses, options)
        client = addresses.first
        unless client.is_a?(Trunkline::Memcached::Client)
          on_error = ->(error) { report(error, nil, :server) }
          return Trunkline.memcached(*addresses, compress: false, on_error: on_error, raise_errors: @raise_errors, **options)
        end
        raise ArgumentError, "a client has its servers and options already" unless addresses.one? && options.empty?

        client
      end

      def count(operation, name, amount, options)
        options = merged_options(options)
        key = normalize_key(name, options)
        instrument(operation, key, amount: amount) do
          surviving(nil, operation) { yield key, options[:expires_in] }
        end
      end

      def read_entry(key, **options) = deserialize_entry(read_serialized_entry(key, **options), **options)

      def read_serialized_entry(key, raw: false, **)
        surviving(nil, :read_entry) { @cache.get(key, raw ? RAW : nil) }
      end

      def write_entry(key, entry, **options)
        write_serialized_entry(key, serialize_entry(entry, **options), **options)
      end

      def write_serialized_entry(key, payload, unless_exist: false, **options)
        surviving(nil, :write_entry) { @cache.public_send(unless_exist ? :add : :set, key, payload, life(**options), RAW) && true }
      end

      def write_multi_entries(entries, **options)
        return super if options[:unless_exist]

        payloads = entries.transform_values { |entry| serialize_entry(entry, **options) }
        written = surviving(false, :write_multi_entries) { @cache.set_multi(payloads, life(**options), RAW) }
        remember(payloads, written) if local_cache
        entries
      end

      def remember(payloads, written)
        payloads.each { |key, payload| written ? local_cache.write_entry(key, payload) : local_cache.delete_entry(key) }
      end

      def life(expires_in: nil, race_condition_ttl: nil, raw: false, **)
        seconds = expires_in.to_i
        race_condition_ttl && seconds.positive? && !raw ? seconds + GRACE.to_i : seconds
      end

      def read_multi_entries(names, **options)
        names_by_key = names.index_by { |name| normalize_key(name, options) }
        payloads = surviving({}, :read_multi_entries) { @cache.get_multi(names_by_key.keys) }
        payloads.each_with_object({}) do |(key, payload), values|
          name = names_by_key[key]
          entry = deserialize_entry(payload, raw: options[:raw])
          values[name] = entry.value if entry && !entry.expired? && !entry.mismatched?(normalize_version(name, options))
        rescue DeserializationError
          next # counts as missing
        end
      end

      def delete_entry(key, **) = surviving(false, :delete_entry) { @cache.delete(key) }

      def delete_multi_entries(keys, **)
        keys.each { |key| local_cache.delete_entry(key) } if local_cache
        surviving(0, :delete_multi_entries) { @cache.delete_multi(keys) }
      end

      def serialize_entry(entry, raw: false, **options) = raw ? entry.value.to_s : super

      def deserialize_entry(payload, raw: false, **) = payload && raw ? Entry.new(payload) : super(payload)

      # Keys are bytes; they are escaped as :mem_cache_store does.
      def normalize_key(key, options)
        key = (UNSHORTENED ? expand_and_namespace_key(key, options) : super)&.b or return
        key = key.gsub(ESCAPED) { |match| "%#{match.getbyte(0).to_s(16).upcase}" }
        key.size > KEY_MAX_SIZE ? shortened(key) : key
      end

      def shortened(key)
        ending = "#{KEY_SEPARATOR}#{ActiveSupport::Digest.hexdigest(key)}"
        "#{key[0, KEY_MAX_SIZE - ending.size]}#{ending}"
      end

      def surviving(fallback, method)
        yield
      rescue Trunkline::Error => error
        raise if @raise_errors

        report(error, fallback, method)
        fallback
      end

      # @param method [Symbol] the method that was called, by its name in Rails' stores; :server if one server of several failed
      def report(error, fallback, method)
        return @error_handler.call(method: method, returning: fallback, exception: error) if @error_handler

        logger&.error("#{error.class}: #{error.message}")
        ActiveSupport.error_reporter&.report(error, severity: :warning, source: "trunkline_store.active_support")
      end
    end
  end
end
