# frozen_string_literal: true

require "async"
require "test_helper"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # What a caller with many notices leaves to the other callers of its loop.
    class NoticesTest < TestCase
      include StoppedClock

      A_WHILE = 0.001 # seconds that the block takes for a notice
      private_constant :A_WHILE

      def body(message) = "SNOTIZ\0VNOTICE\0C00000\0M#{message}\0Wsomewhere\0L3\0\0"

      def notices = Array.new(200) { |number| body("number #{number}") }.reduce(nil) { |kept, one| ErrorFields.append(kept, one) }

      def answers = Postgres.const_get(:ResponseReader).new(nil, "server", limits: Limits.new) { flunk "nothing is looked up" }

      # @return [Array<Integer>] how many notices were told by each turn of another fiber
      def turns
        turns = []
        told = 0
        Sync do |task|
          answers = self.answers
          answers.on_notice = ->(_) { Clock.pass(A_WHILE) && told += 1 }
          teller = task.async { answers.announce_notices(notices) }
          Fiber.scheduler.yield while teller.running? && turns.push(told)
        end
        turns.push(told)
      end

      # The fields of a thousand notices take a millisecond, so that it is the block that takes time.
      def test_other_fibers_have_a_turn_each_five_milliseconds
        between = turns.each_cons(2).map { |before, after| after - before }
        assert_equal 200, turns.max
        assert_operator between.max, :<=, 6
        assert_operator between.size, :<=, 50
      end

      def test_a_thread_passes_each_five_milliseconds_and_not_after_so_many
        passes = 0
        answers = self.answers
        answers.on_notice = ->(_) { Clock.pass(A_WHILE) }
        Thread.stub(:pass, -> { passes += 1 }) { answers.announce_notices(notices) }
        assert_includes 30..40, passes
        answers.on_notice = ->(_) {}
        Thread.stub(:pass, -> { flunk "no time has passed" }) { answers.announce_notices(notices) }
      end

      def test_a_listener_that_stops_meanwhile
        answers = self.answers
        told = []
        answers.on_notice = lambda do |fields|
          told << fields[:message]
          answers.on_notice = nil if told.size == 70
        end
        answers.announce_notices(notices)
        assert_equal 70, told.size
      end

      def test_fields_as_of_an_error_and_one_string_for_all_notices_that_have_it
        parsed = ErrorFields.enum_for(:each, notices).to_a
        assert_equal ErrorFields.parse(body("number 199")), parsed.last
        assert_equal(Array.new(200) { |number| "number #{number}" }, parsed.map { |fields| fields[:message] })
        assert_equal 1, parsed.map { |fields| fields[:where].object_id }.uniq.size
        assert(parsed.all? { |fields| fields.values.all?(&:frozen?) })
      end

      def test_any_bodies_are_kept_apart
        bodies = ["", "\0", "Mno end", "M\0", "M\xFF\0L12x\0", body("x")]
        kept = bodies.reduce(nil) { |notices, one| ErrorFields.append(notices, one) }
        assert_equal bodies.map { |one| ErrorFields.parse(one) }, ErrorFields.enum_for(:each, kept).to_a
        assert_raises(ArgumentError) { ErrorFields.each(kept[..-2]) { nil } }
      end
    end
  end
end
