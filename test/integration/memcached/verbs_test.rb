# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require "support/each_host"
require "shared/caching"
require "shared/caching_together"

module Trunkline
  module Memcached
    # The verbs with a real server, in every host.
    module Verbs
      extend EachHost

      in_hosts MemcachedServers, Shared::Caching, Shared::CachingTogether
      in_hostile_hosts MemcachedServers, Shared::CachingTogether
    end
  end
end
