# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require "support/worlds"
require "shared/caching"
require "shared/caching_together"

module Trunkline
  module Memcached
    # The verbs with a real server, in every world.
    module Verbs
      extend Worlds

      in_worlds MemcachedServers, Shared::Caching, Shared::CachingTogether
      in_hostile_worlds MemcachedServers, Shared::CachingTogether
    end
  end
end
