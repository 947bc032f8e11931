# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/gated"
require "support/interruptions"
require "support/leeway"
require "support/numbers"
require "support/schedulers/hosts"
%w[
  copying streaming listening querying describing settings batches group_commits parameters errors concurrency
  leading sessions beginnings transactions interruption_sweep deadlines cancelling abandoning abandoned_ahead ending_late options several_event_loops wake_ups
  lifecycle limits dispatching schema_changes
].each { |name| require "shared/#{name}" }

# The suites of the client by what they ask of a host.
module Suites
  # What concerns waiting and waking.
  module Concurrent
    include DatabaseHelpers
    include Shared::Querying
    include Shared::Copying
    include Shared::Streaming
    include Shared::Listening
    include Shared::Concurrency
    include Shared::Leading
    include Shared::Deadlines
    include Shared::Cancelling
    include Shared::Abandoning
    include Shared::AbandonedAhead
    include Shared::EndingLate
    include Shared::Limits
    include Shared::Dispatching
    include Shared::Sessions
    include Shared::Transactions
    include Shared::InterruptionSweep
    include Shared::Beginnings
  end

  # Everything that holds under fibers and threads.
  module All
    include Concurrent
    include Shared::Parameters
    include Shared::Errors
    include Shared::Options
    include Shared::Describing
    include Shared::Settings
    include Shared::Batches
    include Shared::GroupCommits
    include Shared::SchemaChanges
    include Shared::SeveralEventLoops
    include Shared::Lifecycle
  end
end
