# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/leeway"

module Trunkline
  module Postgres
    # A connection of a session's own, on which a caller that had it before still has the server cancel what it left there.
    class SessionLeaseTest < TestCase
      include DatabaseHelpers
      include Leeway

      def test_a_session_waits_for_the_end_of_anothers_cancel
        with_cancelling_session do |session, state, canceller|
          asked = Thread.new { session.value("SELECT 2") }
          Thread.pass until asked.stop?
          state.finish_cancel(canceller)
          assert_equal 2, asked.value
        end
      end

      def test_a_fence_that_was_put_there_meanwhile
        with_cancelling_session do |session, state, canceller|
          asked = Thread.new { session.value("SELECT 2") }
          Thread.pass until asked.stop?
          state.aim(canceller, nil)
          state.fence_off(canceller, canceller.fence)
          state.finish_cancel(canceller)
          assert_equal 2, asked.value
        end
      end

      def test_a_deadline_that_passes_before_that_end
        with_cancelling_session do |session, _, _|
          error = assert_raises(Deadline) { session.value("SELECT 2", deadline: 0.05) }
          refute_predicate error, :sent?
        end
      end

      private

      # @yieldparam session [Session] which has a connection
      # @yieldparam state [ConnectionState] of that, shut for a cancel
      # @yieldparam canceller [Request] of the caller that cancels
      def with_cancelling_session
        with_seconds(:LeaseCleanup, :LONGEST, within: Postgres) do
          with_client(connections: 1) do |db|
            db.session do |session|
              session.query("SELECT 1")
              state = session.instance_variable_get(:@executor).lease.trunk.state
              assert state.begin_cancel(canceller = Request.companion, nil)
              yield session, state, canceller
            ensure
              state&.finish_cancel(canceller)
            end
          end
        end
      end
    end
  end
end
