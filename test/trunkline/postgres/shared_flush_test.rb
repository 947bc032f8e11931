# frozen_string_literal: true

require "test_helper"
require "async"
require "minitest/mock"
require "support/schedulers/dropping"

module Trunkline
  module Postgres
    # The callers of flushes, each step of which is taken when the test says so.
    class SharedFlushTest < TestCase
      LIMIT = 20 # seconds, after which a caller hangs
      LOST = Loss.new("the server is gone", true, false).freeze

      # A connection on which each flush fails, when the test says so.
      class LostTrunk
        def initialize
          @asked = Thread::Queue.new
          @answers = Thread::Queue.new
        end

        def perform_beside_others(request, *)
          @asked << true
          @answers.pop
          request.fail(LOST)
        end
        alias attend perform_beside_others

        def reader = self

        # Waits until a flush is under way.
        def asked = @asked.pop

        def asked? = !@asked.empty?

        # How often a flush was asked for that no caller of {#asked} has seen.
        def times_asked = @asked.size

        def answer = @answers << true
      end

      # A caller that has seen that its flush is not over, and goes on from there when it is stepped.
      class SteppedCaller
        attr_reader :thread, :arrived, :steps

        def initialize(flushes)
          @arrived = Thread::Queue.new
          @steps = Thread::Queue.new
          @thread = Thread.new do
            Thread.current[:stepped_caller] = self
            flushes.wait(nil)
          end
          @thread.report_on_exception = false
          @arrived.pop
        end

        def step = @steps << true

        # Has it taken its step, and sleeps?
        def asleep? = @steps.num_waiting.zero? && @steps.empty? && @thread.stop?
      end
      private_constant :LIMIT, :LOST, :LostTrunk, :SteppedCaller

      def test_a_caller_that_finds_its_flush_over_leaves_the_turn_to_the_next_one
        unhurried do # a caller that sleeps does not wake by itself
          stepped do
            trunk = LostTrunk.new
            flushes = flushes_over(trunk)
            callers = [leader = SteppedCaller.new(flushes), late = SteppedCaller.new(flushes)]
            leader.step
            trunk.asked
            callers << (following = SteppedCaller.new(flushes))
            following.step # it leads the next flush
            Thread.pass until following.asleep?
            trunk.answer
            assert leader.thread.join(LIMIT)
            following.arrived.pop
            late.step
            Thread.pass until !late.thread.alive? || trunk.asked?
            following.step
            Thread.pass until following.asleep?
            2.times { trunk.answer }
            [late, following].each { |caller| 3.times { caller.step } }
            assert callers.all? { |caller| caller.thread.join(LIMIT) }, "a caller hangs"
            assert_equal [:failed] * 3, callers.map { |caller| caller.thread.value.why }
          ensure
            callers&.each { |caller| caller.thread.kill }
          end
        end
      end

      # Its event loop has dropped it, with its thread.
      def test_a_leader_that_is_dropped_does_not_stop_the_next_flush
        trunk = LostTrunk.new
        trunk.define_singleton_method(:perform_beside_others) { |request, *| Fiber.current.blocking? ? super(request) : Fiber.yield }
        flushes = flushes_over(trunk)
        Thread.new { Dropping.run { Fiber.schedule { flushes.wait(nil) } } }.join
        caller = Thread.new { flushes.wait(nil) }
        trunk.answer
        assert caller.join(LIMIT), "it waits for good"
        assert_equal :failed, caller.value.why
      ensure
        caller&.kill
      end

      # Its fiber waits for the same flush as a thread.
      def test_another_caller_leads_where_the_leader_was_dropped
        trunk = LostTrunk.new
        flushes = flushes_over(trunk)
        holder = Thread.new { flushes.wait(nil) }
        trunk.asked # the next flush waits for that one
        Thread.new { Dropping.run { Fiber.schedule { flushes.wait(nil) } } }.join
        caller = Thread.new { flushes.wait(nil) }
        Thread.pass until caller.stop?
        2.times { trunk.answer }
        assert [holder, caller].all? { |thread| thread.join(LIMIT) }, "it waits for good"
        assert_equal %i[failed failed], [holder, caller].map { |thread| thread.value.why }
      ensure
        [holder, caller].each { |thread| thread&.kill }
      end

      # It leads, and its thread does not resume it. That loses nothing, so the others wait for two seconds, not for thirty.
      def test_another_caller_leads_where_the_leaders_thread_makes_no_more_calls
        trunk = LostTrunk.new
        trunk.define_singleton_method(:perform_beside_others) { |request, *| Fiber.current.blocking? ? super(request) : Fiber.yield }
        flushes = flushes_over(trunk)
        dropped, finish = Array.new(2) { Thread::Queue.new }
        keeper = Thread.new { Dropping.run { Fiber.schedule { flushes.wait(nil) } } && dropped.push(true) && finish.pop }
        dropped.pop
        trunk.answer
        now = 1000.0
        seen = Waiting.stub(:now, -> { now += 0.1 }) { Thread.new { flushes.wait(nil) }.join(LIMIT) && now }
        assert_operator seen, :<, 1010
      ensure
        finish&.close
        keeper&.join
      end

      # By that, other threads see whether its event loop runs.
      def test_a_caller_that_waits_for_the_leader_renews_its_attendance
        trunk = LostTrunk.new
        flushes = flushes_over(trunk)
        holder = Thread.new { flushes.wait(nil) }
        trunk.asked
        renewed = Thread::Queue.new
        caller = Thread.new { flushes.wait(nil) { renewed << true } }
        Thread.pass until renewed.size > 3
        2.times { trunk.answer }
        assert([holder, caller].all? { |thread| thread.join(LIMIT) })
      ensure
        [holder, caller].each { |thread| thread&.kill }
      end

      # Their writes were answered by the same bytes, for example. If the first asked at once, the others would wait for two flushes.
      def test_fibers_that_are_ready_together_share_one_flush
        trunk = LostTrunk.new
        flushes = flushes_over(trunk)
        5.times { trunk.answer }
        failures = Sync do |task|
          parked = []
          callers = Array.new(5) do
            task.async do
              parked.push(writer = Waiter.new.tap(&:park))
              Waiting.park(writer)
              flushes.wait(nil)
            end
          end
          parked.each(&:wake_if_parked)
          callers.map(&:wait)
        end
        assert_equal [[:failed] * 5, 1], [failures.map(&:why), trunk.times_asked]
      end

      private

      def flushes_over(trunk) = Flushes.new("server", trunk, Statements.new.table[SharedFlush::SQL], "on", 1)

      # Callers stop where they have looked whether their flush is over, and have not looked for its leader.
      def stepped(&block)
        trace = TracePoint.new(:call) do
          caller = Thread.current[:stepped_caller]
          caller.arrived << true
          caller.steps.pop
        end
        trace.enable(target: Flushes.instance_method(:advance), &block)
      end
    end
  end
end
