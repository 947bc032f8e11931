# frozen_string_literal: true

require "connection_pool"
require "delegate"
require "logger"
require "timeout"
require_relative "../extra_gem"

module Trunkline
  module Bench
    # Clients of memcached under the names of this one, storing Strings as they are.
    module Caches
      # Dalli, by the meta protocol.
      class Dalli
        RAW = { raw: true }.freeze
        private_constant :RAW

        def initialize(address, timeout)
          require "dalli"
          ::Dalli.logger = Logger.new(IO::NULL)
          @client = ::Dalli::Client.new(address, protocol: :meta, raw: true, socket_timeout: timeout)
        end

        def get(key) = @client.get(key)
        def set(key, value) = @client.set(key, value)
        def delete(key) = @client.delete(key)
        def get_multi(keys) = @client.get_multi(keys)
      end

      # memcache-client, whose author found out what a timeout costs.
      class MemcacheClient
        def initialize(address, timeout)
          require "memcache"
          @client = MemCache.new(address, timeout: timeout, check_size: false, logger: nil)
        end

        def get(key) = @client.get(key, true)
        def set(key, value) = @client.set(key, value, 0, true)
        def delete(key) = @client.delete(key)
        def get_multi(keys) = @client.get_multi(*keys, { raw: true })
      end

      # libmemcached's binding.
      class Libmemcached
        # The newest there is.
        GEM = %w[memcached 1.8.0].freeze

        def initialize(address, timeout)
          ExtraGem.activate(*GEM)
          require "memcached"
          @client = ::Memcached.new(address, timeout: timeout || 0, tcp_nodelay: true)
        end

        def get(key) = found { @client.get(key, false) }
        def set(key, value) = @client.set(key, value, 0, false)
        def delete(key) = found { @client.delete(key) }
        def get_multi(keys) = @client.get(keys, false)

        private

        def found
          yield
        rescue ::Memcached::NotFound
          nil
        end
      end

      # This one.
      class Trunkline
        def initialize(address, timeout)
          require "trunkline"
          @client = ::Trunkline.memcached(address, timeout: timeout, raw: true)
        end

        def get(key) = @client.get(key)
        def set(key, value) = @client.set(key, value)
        def delete(key) = @client.delete(key)
        def get_multi(keys) = @client.get_multi(keys)
      end

      # Ruby's Timeout around each call: the one that comes with this Ruby, or a newer one, which keeps a thread for all.
      class Timed < SimpleDelegator
        NEWER = %w[timeout 0.4.3].freeze

        def initialize(client, newer)
          replace_timeout if newer
          super(client)
        end

        def get(key) = ::Timeout.timeout(1) { super }
        def set(key, value) = ::Timeout.timeout(1) { super }
        def delete(key) = ::Timeout.timeout(1) { super }
        def get_multi(keys) = ::Timeout.timeout(1) { super }

        private

        def replace_timeout
          ExtraGem.activate(*NEWER)
          Object.send(:remove_const, :Timeout)
          load "timeout.rb"
        end
      end

      # As many clients, lent to one caller each.
      class Pooled
        def initialize(size, &client)
          @pool = ConnectionPool.new(size: size, timeout: 60, &client)
        end

        def get(key) = @pool.with { |cache| cache.get(key) }
        def set(key, value) = @pool.with { |cache| cache.set(key, value) }
        def delete(key) = @pool.with { |cache| cache.delete(key) }
        def get_multi(keys) = @pool.with { |cache| cache.get_multi(keys) }
      end
    end
  end
end
