# frozen_string_literal: true

# Rails' own tests of what every cache store does, on ours: rake hosts:rails_cache_store[/path/of/rails]
#
# The folder is that of an unpacked source of the Rails whose activesupport is in the bundle; Debian's source package of
# rails has it.

require_relative "../../support/memcached_servers"
require "active_support"
require "active_support/testing/autorun"
require "active_support/testing/method_call_assertions"
require "active_support/testing/error_reporter_assertions"
require "active_support/test_case"
require "active_support/cache"
require "active_support/cache/trunkline_store"
require "active_support/logger"
require "#{ENV.fetch("RAILS")}/activesupport/test/cache/behaviors"

ActiveSupport::Cache.format_version = 7.1
ActiveSupport.to_time_preserves_timezone = true

# What is left out, beside the behaviours of connection pools, which this store does not have.
EXCLUDED = {
  "test_decrement" => "memcached's numbers do not go below 0",
  "test_serializer_can_be_:message_pack" => "the msgpack gem is not in the bundle"
}.freeze

class RailsCacheStoreTest < ActiveSupport::TestCase
  include ActiveSupport::Testing::MethodCallAssertions
  include ActiveSupport::Testing::ErrorReporterAssertions

  def setup
    @namespace = "test-#{Random.rand(16**32).to_s(16)}"
    @cache = lookup_store(expires_in: 60)
    @peek = lookup_store
    @cache.logger = ActiveSupport::Logger.new(File::NULL)
  end

  def lookup_store(*addresses, **options)
    addresses = [Trunkline::MemcachedServers.server.address] if addresses.empty?
    ActiveSupport::Cache.lookup_store(:trunkline_store, *addresses, { namespace: @namespace, timeout: 60, **options })
  end

  include CacheStoreBehavior
  include CacheStoreVersionBehavior
  include CacheStoreCoderBehavior
  include CacheStoreCompressionBehavior
  include CacheStoreSerializerBehavior
  include CacheStoreFormatVersionBehavior
  include LocalCacheBehavior
  include CacheIncrementDecrementBehavior
  include CacheInstrumentationBehavior
  include CacheLoggingBehavior
  include EncodedKeyCacheBehavior
  include FailureSafetyBehavior

  EXCLUDED.each_key { |name| undef_method(name) }

  private

  # The shared behaviours ask these of a store's tests.
  def store = [:trunkline_store, Trunkline::MemcachedServers.server.address]

  def emulating_unavailability
    yield ActiveSupport::Cache::TrunklineStore.new("127.0.0.1:1", namespace: @namespace)
  end
end
