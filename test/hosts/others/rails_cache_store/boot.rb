# frozen_string_literal: true

# What comes before Rails' own tests of :mem_cache_store: they get :trunkline_store instead.
require "bundler/setup"
require "active_support"
require "active_support/cache"
require "active_support/cache/trunkline_store"
require_relative "../suites/journal"

# The name of the store under test.
module TrunklineStoreInstead
  def lookup_store(store = nil, *parameters) = super(store == :mem_cache_store ? :trunkline_store : store, *parameters)
end
ActiveSupport::Cache.singleton_class.prepend(TrunklineStoreInstead)
ActiveSupport::Cache::MemCacheStore = ActiveSupport::Cache::TrunklineStore

# The client in the variable where the tests look for it.
module ClientAsData
  def initialize(...)
    super
    @data = @cache
  end
end
ActiveSupport::Cache::TrunklineStore.prepend(ClientAsData)
