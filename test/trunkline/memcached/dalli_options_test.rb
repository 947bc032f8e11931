# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "tmpdir"
require "active_support"
require "active_support/cache/trunkline_store"
require "support/memcached_servers"

module Trunkline
  module Memcached
    # A configuration that was written for Dalli.
    class DalliOptionsTest < TestCase
      include MemcachedServers

      # As Rails' guide and Dalli's page have them.
      TAKEN = { namespace: "moved", expires_in: 60, compress: true, compression_min_size: 10, failover: true, down_retry_delay: 0, socket_timeout: 15,
                protocol: :meta, cache_nils: true, serializer: Marshal, string_fastpath: true }.freeze
      NEEDLESS = { pool: { size: 5, timeout: 5 }, pool_size: 5, pool_timeout: 5, connect_timeout: 1, keepalive: true, value_max_bytes: 2_000_000,
                   socket_max_failures: 2, threadsafe: true }.freeze

      def test_what_is_taken
        assert_silent do
          Trunkline.memcached(memcached.address, **TAKEN) { |cache| assert_equal "value", cache.set("key", "value") && cache.get("key") }
        end
        assert_equal({ timeout: 2 }, translate(socket_timeout: 2))
        assert_equal({ timeout: 1 }, translate(socket_timeout: 2, timeout: 1))
      end

      def test_what_is_not_needed_is_reported_in_a_line
        NEEDLESS.each do |name, value|
          told = []
          Warning.stub(:warn, ->(message, **) { told << message }) { assert_equal({ raw: true }, translate(name => value, raw: true)) }
          assert_equal 1, told.size
          assert_match(/\ATrunkline\.memcached: #{name}: is not needed, as .+\n\z/, told.first)
        end
      end

      def test_what_cannot_be_had_says_what_to_write
        { { protocol: :binary } => /protocol: :binary is not supported: leave it out/, { error_handler: -> {} } => /write on_error:/,
          { compression_max_size: 1 } => /write max_value:/, { nonsense: 1 } => /there is no option :nonsense/,
          { username: "ann" } => /username and password belong together/, { username: "a b", password: "c" } => /without blanks/,
          { down_retry_delay: -1 } => /down_retry_delay must be/ }.each do |options, message|
          assert_match message, assert_raises(ArgumentError) { Trunkline.memcached(memcached.address, **options) }.message
        end
      end

      def test_a_rails_store_with_them
        store = ActiveSupport::Cache.lookup_store(:trunkline_store, memcached.address, { namespace: "moved_store", **NEEDLESS, **TAKEN.except(:namespace) })
        store.write("key", [1])
        assert_equal [1], store.read("key")
      end

      def test_a_rails_store_s_error_handler
        told = []
        gone = ActiveSupport::Cache::TrunklineStore.new("127.0.0.1:1", error_handler: ->(method:, returning:, exception:) { told << [method, returning, exception.class] })
        assert_nil gone.read("key")
        assert_empty gone.read_multi("key")
        assert_equal [[:read_entry, nil, ConnectionError], [:server, nil, ConnectionError]], told
      end

      def test_a_server_that_wants_username_and_password
        Dir.mktmpdir do |folder|
          File.write("#{folder}/users", "ann:s3cret\n")
          File.chmod(0o755, folder)
          with_memcached(arguments: ["-Y", "#{folder}/users"]) do |server|
            Trunkline.memcached(server.address, username: "ann", password: "s3cret") { |cache| assert_equal 1, cache.set("key", 1) && cache.get("key") }
            error = refused(server, username: "ann", password: "wr0ng")
            assert_match(/cannot connect: the server refused username and password: "CLIENT_ERROR (authentication failure|unauthenticated)"/, error.message)
            refute_match(/wr0ng/, error.full_message)
            assert_match(/the server requires username and password \(it was started with -Y\)/, refused(server).message)
          end
          Trunkline.memcached(memcached.address, username: "ann", password: "s3cret") do |cache|
            assert_nil cache.get("auth")
            refute_match(/s3cret/, cache.inspect)
          end
        end
      end

      def test_what_is_no_number_and_no_hash
        with_cache do |cache|
          cache.set("key", 1)
          [1.5, "2", nil].each { |amount| assert_raises(ArgumentError) { cache.incr("key", amount, nil, 1) } }
          [-> { cache.get("key", 1) }, -> { cache.set("key", 1, 1, [:raw]) }, -> { cache.fetch("key", 1, true) { flunk } }].each do |call|
            assert_match(/options must be a Hash/, assert_raises(ArgumentError, &call).message)
          end
        end
      end

      def test_fetch_with_lock
        with_cache do |cache|
          assert_equal [1, 1], [cache.fetch_with_lock("key", ttl: 60, lock_ttl: 5, recache_threshold: 5) { 1 }, cache.fetch_with_lock("key") { flunk }]
        end
      end

      private

      def translate(**options) = Memcached.const_get(:DalliOptions).translate(options)

      def refused(server, **options)
        assert_raises(ConnectionError) { Trunkline.memcached(server.address, **options) { |cache| cache.get("key") } }
      end
    end
  end
end
