# frozen_string_literal: true

# What comes after Rails' own tests of :mem_cache_store: what they do with Dalli's objects is done with this client's.
module InsteadOfDalli
  private

  # Rails replaces a class of Dalli's to have no server.
  def emulating_unavailability
    yield ActiveSupport::Cache::TrunklineStore.new("127.0.0.1:1", namespace: @namespace)
  end

  # Servers are named with their ports here.
  # @return [Array<String>] as the store was given them
  def servers(cache = @cache)
    names = client(cache).client_stats.keys
    names == ["127.0.0.1:11211"] ? names : names.map { |name| name.delete_suffix(":11211") }
  end
end
MemCacheStoreTest.prepend(InsteadOfDalli)
