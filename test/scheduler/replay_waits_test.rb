# frozen_string_literal: true

require "test_helper"
require "support/each_host"
require "shared/replay_waits"

# Reads that wait until a replica has replayed their position, by callers of each kind.
module ReplayWaits
  extend EachHost

  in_hosts Shared::ReplayWaits
end
