# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  # Whether a trunk is shut, and for how long, in whatever order its callers and the server's answers come.
  class CancellingTest < TestCase
    include Requests

    PROCEDURE = Requests::STATEMENT.new("CALL p()", 2)
    private_constant :PROCEDURE

    attr_reader :codec, :crew, :head, :behind

    def setup
      super
      @codec = CODEC.new({}, 1 << 20)
      @crew = Crew.new(codec)
      @head, @behind = Array.new(2) { |slot| send_off(REQUEST.query(STATEMENT.new("SELECT 1", slot), [])) }
    end

    def test_the_head_is_cancelled_and_a_fence_opens_the_trunk
      fence = cancel(head)
      assert_equal [true, nil, :fenced], [crew.shut?, crew.enter(request), crew.finish_cancel(head)]
      finish(codec, 2)
      answer_fence
      crew.lift
      assert_equal [false, nil, true], [crew.shut?, crew.fence, fence.done?]
    end

    def test_what_is_not_the_head_is_not_cancelled
      assert_equal [false, false], [crew.begin_cancel(behind, behind), crew.shut?]
    end

    def test_a_head_that_is_answered_already
      finish(codec)
      assert_equal [false, false], [crew.begin_cancel(head, head), crew.shut?]
    end

    # The answer came after the trunk was shut: there is nothing to cancel.
    def test_a_head_that_is_answered_meanwhile
      assert crew.begin_cancel(head, head)
      finish(codec)
      assert_nil crew.aim(head, head)
      assert_equal [:open, false], [crew.finish_cancel(head), crew.shut?]
    end

    def test_what_could_be_hit_and_must_not_be
      send_off(REQUEST.query(PROCEDURE, []))
      assert_equal [false, false], [crew.begin_cancel(head, head), crew.shut?]
    end

    def test_one_at_a_time
      assert crew.begin_cancel(head, head)
      assert_equal [false, nil, nil], [crew.begin_cancel(behind, head), crew.finish_cancel(behind), crew.aim(behind, head)]
      assert_equal false, crew.fence_off(behind, behind.fence)
      assert_equal :open, crew.finish_cancel(head)
    end

    # Another caller has taken in the answer to the fence: the trunk is open, and what comes now must not be hit.
    def test_a_fence_that_is_answered_while_the_caller_is_about_to_cancel_again
      cancel(head)
      finish(codec, 2)
      answer_fence
      assert_nil crew.aim(head, head)
      assert_equal [nil, false], [crew.finish_cancel(head), crew.shut?]
    end

    # What was asked before may still hit what is in flight, and nothing tells when that is over.
    def test_a_caller_that_goes_before_there_is_a_fence
      assert crew.begin_cancel(head, head)
      assert_same head, crew.aim(head, head)
      assert_equal [:exposed, true, false], [crew.finish_cancel(head), crew.shut?, crew.begin_cancel(head, head)]
      finish(codec, 2)
      crew.lift
      assert_predicate crew, :shut?
    end

    def test_another_caller_goes_on_behind_a_fence
      first = cancel(head)
      crew.finish_cancel(head)
      head.give_up("late")
      assert crew.begin_cancel(behind, nil)
      assert_same head, crew.aim(behind, nil)
      assert_equal [true, nil], [first.done?, crew.fence]
      crew.fence_off(behind, second = behind.fence)
      assert_equal [:fenced, second], [crew.finish_cancel(behind), crew.fence]
    end

    def test_a_fence_that_nobody_is_left_to_see
      cancel(head)
      assert_equal false, crew.abandon_fence
      crew.finish_cancel(head)
      crew.begin_ending
      assert_equal false, crew.abandon_fence
      assert_equal [true, true, nil, true], [crew.finish_ending, crew.abandon_fence, crew.fence, crew.shut?]
    end

    def test_what_is_sealed_stays_shut
      crew.seal
      cancel(head)
      crew.finish_cancel(head)
      finish(codec, 2)
      answer_fence
      crew.lift
      assert_equal [nil, true, false], [crew.fence, crew.shut?, crew.reserve]
    end

    private

    def send_off(request) = request.tap { codec.submit(request) }

    # @return [Request] the fence
    def cancel(request)
      assert crew.begin_cancel(request, request)
      assert_same request, crew.aim(request, request)
      request.fence.tap { |fence| assert crew.fence_off(request, fence) }
    end

    def answer_fence
      codec.input << frame("ZI")
      codec.receive([])
    end
  end
end
