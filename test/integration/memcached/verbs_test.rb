# frozen_string_literal: true

require "test_helper"
require "support/hostilities"
require "support/memcached_servers"
require "shared/caching"
require "shared/caching_together"

module Trunkline
  module Memcached
    # The verbs with a real server, in every world.
    module Verbs
      WORLDS = { Threads: Hosts::Threads, Async: Hosts::Async, Reference: Hosts::Reference }.freeze

      WORLDS.each do |name, host|
        const_set("#{name}Test", Class.new(TestCase) do
          include MemcachedServers
          include host
          include Shared::Caching
          include Shared::CachingTogether
        end)
      end

      HOSTILITIES.each do |name, hostility|
        const_set("#{name}Test", Class.new(TestCase) do
          include MemcachedServers
          include Hosts::Hostile
          include Shared::CachingTogether

          def in_host_with_cache(**options, &block) = in_host { with_cache(**options, &block) }

          define_method(:hostility) { hostility.merge(seed: Minitest.seed) }
        end)
      end
    end
  end
end
