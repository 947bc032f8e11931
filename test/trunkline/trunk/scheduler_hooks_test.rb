# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/database_helpers"
require "support/schedulers/hostile_scheduler"

module Trunkline
  class SchedulerHooksTest < TestCase
    include DatabaseHelpers

    # A class of its own, which no other test has met.
    class Untimed < HostileScheduler
      def initialize(**options) = super(seed: 1, without: %i[timeout_after], **options)
    end

    def test_the_first_wait_names_the_hook_that_is_missing
      told = warnings do
        2.times { Untimed.run { with_client { |db| assert_equal 1, db.value("SELECT 1") } } }
      end

      assert_equal 1, told.size
      assert_match(/Untimed lacks the hook timeout_after: .*write deadline: instead/, told.first)
    end

    def test_nothing_is_said_of_a_scheduler_that_has_all
      assert_empty(warnings { ReferenceScheduler.run { with_client { |db| db.value("SELECT 1") } } })
      assert_empty(warnings { with_client { |db| db.value("SELECT 1") } })
    end

    # Ruby asks for these itself.
    def test_a_scheduler_without_a_hook_that_is_needed
      %i[block unblock kernel_sleep io_wait].each do |hook|
        scheduler = Object.new
        %i[block unblock kernel_sleep io_wait close].each { |name| scheduler.define_singleton_method(name) { |*| nil } unless name == hook }

        error = assert_raises(ArgumentError) { Fiber.set_scheduler(scheduler) }
        assert_includes error.message, hook.to_s
      end
    end

    private

    def warnings(&block)
      told = []
      Warning.stub(:warn, ->(message, **) { told << message }, &block)
      told
    end
  end
end
