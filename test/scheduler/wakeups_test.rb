# frozen_string_literal: true

require "suites"
require "support/each_host"

# The rules of waking up, under every scheduler.
module WakeUpsTest
  extend EachHost

  class UnderAsyncTest < Trunkline::TestCase
    include DatabaseHelpers
    include Hosts::Async
    include Shared::WakeUps
  end

  class UnderReferenceSchedulerTest < Trunkline::TestCase
    include DatabaseHelpers
    include Hosts::Reference
    include Shared::WakeUps

    # Longer waits are many: some schedulers keep a timer until it fires, and others need one.
    def test_waits_for_a_socket_have_a_timeout_of_at_most_a_second
      in_host_with_client(connections: 1) do |db|
        slow = later { db.query("SELECT pg_sleep(1.2)").size }
        assert_equal [1, 1], [db.query("SELECT pg_sleep(0)").size, slow.value]
      end
    end
  end

  in_hostile_hosts DatabaseHelpers, Shared::WakeUps, named: "Under%sSchedulerTest"
end
