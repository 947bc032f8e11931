# frozen_string_literal: true

require "test_helper"
require "async"
require "support/sequel_host"
require "support/each_host"
require "shared/sequel_callers"

# Threads, fibers, and fibers under schedulers that do whatever they may.
module SequelCallersTests
  extend EachHost

  in_hosts Trunkline::SequelHost, Shared::SequelCallers
  in_hostile_hosts Trunkline::SequelHost, Shared::SequelCallers, hostilities: HOSTILITIES.slice(:Inline, :Everything)

  # Async may end its loop before it has resumed a finished task's fiber for the last time.
  class EndedLoopTest < Trunkline::TestCase
    include Trunkline::SequelHost

    def test_what_its_fibers_kept_is_free
      with_sequel(connections: 1, max_connections: 2, pool_timeout: 60) do |db|
        fibers = Array.new(3) do
          Sync { |task| task.async { db.run("SET application_name = 'kept'").then { Fiber.current } }.wait }
        end
        assert_equal 1, (db.transaction { db.get(1) })
        assert_equal 3, fibers.uniq.size
      end
    end

    # Its own thread and others take connections meanwhile, which looks for what was kept by fibers that have ended.
    def test_what_a_fiber_keeps_while_its_loop_is_closed
      with_sequel do |db|
        ReferenceScheduler.run do |scheduler|
          Fiber.schedule do
            db.run("SET application_name = 'kept'")
            sleep(0.001) until scheduler.closed?
            Thread.new { db.transaction { db.get(1) } }.join
            Fiber.schedule { db.transaction { db.get(1) } }
            assert_equal "kept", db.get(Sequel.function(:current_setting, "application_name"))
          end
        end
      end
    end

    # A fiber that its loop has left, and that the program resumes all the same.
    def test_a_fiber_whose_connection_was_taken_away_is_told
      with_sequel do |db|
        left = leave(db)
        assert_equal 1, (db.transaction { db.get(1) })
        assert_match(/was closed: the event loop or the fiber that had reserved it has ended/, assert_raises(Sequel::DatabaseDisconnectError) { left.resume }.message)
      end
    end

    # Words that remain on the stack may keep some fibers, not all.
    def test_fibers_that_are_dropped_in_a_transaction
      with_sequel(connections: 1, max_connections: 9, pool_timeout: 60) do |db|
        Fiber.new { 8.times { Fiber.new { db.transaction { db.get(1) && Fiber.yield } }.resume } }.resume
        assert_equal [8, 1], [db.client.stats[:pinned], Thread.new { db.transaction { db.get(1) } }.value]
      end
    end

    private

    # @return [Fiber] that keeps a connection, and goes on where it asks for more
    def leave(db)
      Fiber.set_scheduler(ReferenceScheduler.new)
      left = Fiber.new(blocking: false) do
        db.run("SET application_name = 'kept'")
        Fiber.yield
        db.get(1)
      end
      Fiber.schedule { left.resume }
      left
    ensure
      Fiber.set_scheduler(nil)
    end
  end
end
