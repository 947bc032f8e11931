# frozen_string_literal: true

require "test_helper"
require "support/each_host"
require "shared/stopped_hedges"

# Callers of reads that are sent to a second replica, which are stopped wherever they wait.
module StoppedHedges
  extend EachHost

  in_hosts Shared::StoppedHedges
  in_hostile_hosts Shared::StoppedHedges
end
