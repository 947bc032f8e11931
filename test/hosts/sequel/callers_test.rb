# frozen_string_literal: true

require "test_helper"
require "async"
require "support/sequel_host"
require "support/worlds"
require "shared/sequel_callers"

# Threads, fibers, and fibers under schedulers that do whatever they may.
module SequelCallersTests
  extend Worlds

  in_worlds Trunkline::SequelHost, Shared::SequelCallers
  in_hostile_worlds Trunkline::SequelHost, Shared::SequelCallers, hostilities: HOSTILITIES.slice(:Inline, :Everything)

  # Async may end its loop before it has resumed a finished task's fiber for the last time.
  class EndedLoopTest < Trunkline::TestCase
    include Trunkline::SequelHost

    def test_what_its_fibers_kept_is_free
      with_sequel(connections: 1, max_connections: 2, pool_timeout: 5) do |db|
        fibers = Array.new(3) do
          Sync { |task| task.async { db.run("SET application_name = 'kept'").then { Fiber.current } }.wait }
        end
        assert_equal 1, (db.transaction { db.get(1) })
        assert_equal 3, fibers.uniq.size
      end
    end
  end
end
