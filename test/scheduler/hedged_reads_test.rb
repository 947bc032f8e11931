# frozen_string_literal: true

require "test_helper"
require "support/each_host"
require "shared/hedged_reads"

# Reads that are sent to a second replica, by callers of each kind.
module HedgedReads
  extend EachHost

  in_hosts Shared::HedgedReads
  in_hostile_hosts Shared::HedgedReads
end
