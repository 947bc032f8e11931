# frozen_string_literal: true

require "test_helper"
require "support/sequel_host"
require "support/worlds"
require "shared/sequel_callers"

# Threads, fibers, and fibers under schedulers that do whatever they may.
module SequelCallersTests
  extend Worlds

  in_worlds Trunkline::SequelHost, Shared::SequelCallers
  in_hostile_worlds Trunkline::SequelHost, Shared::SequelCallers, hostilities: HOSTILITIES.slice(:Inline, :Everything)
end
