# frozen_string_literal: true

require "test_helper"
require "support/requests"

module Trunkline
  # Whether a trunk is shut, and for how long, in whatever order its callers and the server's answers come.
  class CancellingTest < TestCase
    include Requests

    PROCEDURE = Requests::STATEMENT.new("CALL p()", 2)
    private_constant :PROCEDURE

    attr_reader :codec, :state, :head, :behind

    def setup
      super
      @codec = CODEC.new({}, 1 << 20)
      @state = ConnectionState.new(codec)
      @head, @behind = Array.new(2) { |slot| send_off(REQUEST.query(STATEMENT.new("SELECT 1", slot), [])) }
    end

    def test_the_head_is_cancelled_and_a_fence_opens_the_trunk
      fence = cancel(head)
      assert_equal [true, false, :fenced], [state.shut?, state.enter(request), state.finish_cancel(head)]
      finish(codec, 2)
      answer_fence
      state.lift
      assert_equal [false, nil, true], [state.shut?, state.fence, fence.done?]
    end

    def test_what_is_not_the_head_is_not_cancelled
      assert_equal [false, false], [state.begin_cancel(behind, behind), state.shut?]
    end

    def test_a_head_that_is_answered_already
      finish(codec)
      assert_equal [false, false], [state.begin_cancel(head, head), state.shut?]
    end

    # The answer came after the trunk was shut: there is nothing to cancel.
    def test_a_head_that_is_answered_meanwhile
      assert state.begin_cancel(head, head)
      finish(codec)
      assert_nil state.aim(head, head)
      assert_equal [:open, false], [state.finish_cancel(head), state.shut?]
    end

    def test_what_could_be_hit_and_must_not_be
      send_off(REQUEST.query(PROCEDURE, []))
      assert_equal [false, false], [state.begin_cancel(head, head), state.shut?]
    end

    def test_one_at_a_time
      assert state.begin_cancel(head, head)
      assert_equal [false, nil, nil], [state.begin_cancel(behind, head), state.finish_cancel(behind), state.aim(behind, head)]
      assert_equal false, state.fence_off(behind, behind.fence)
      assert_equal :open, state.finish_cancel(head)
    end

    # Another caller has taken in the answer to the fence: the trunk is open, and what comes now must not be hit.
    def test_a_fence_that_is_answered_while_the_caller_is_about_to_cancel_again
      cancel(head)
      finish(codec, 2)
      answer_fence
      assert_nil state.aim(head, head)
      assert_equal [nil, false], [state.finish_cancel(head), state.shut?]
    end

    # What was asked before may still hit what is in flight, and nothing tells when that is over.
    def test_a_caller_that_leaves_before_there_is_a_fence
      assert state.begin_cancel(head, head)
      assert_same head, state.aim(head, head)
      assert_equal [:exposed, true, false], [state.finish_cancel(head), state.shut?, state.begin_cancel(head, head)]
      finish(codec, 2)
      state.lift
      assert_predicate state, :shut?
    end

    # It is closed once all is answered: until then those behind the head need not wait for its end.
    def test_a_trunk_that_is_to_be_replaced_is_cancelled_on_again
      assert state.begin_cancel(head, head)
      state.aim(head, head)
      assert_equal :exposed, state.finish_cancel(head)
      state.seal
      assert_equal [false, true], [state.begin_cancel(behind, nil), state.begin_cancel(behind, head)]
      assert_same head, state.aim(behind, head)
      assert state.fence_off(behind, behind.fence)
      assert_equal :fenced, state.finish_cancel(behind)
      finish(codec, 2)
      answer_fence
      state.lift
      assert_equal [true, nil], [state.shut?, state.fence]
    end

    def test_another_caller_continues_behind_a_fence
      first = cancel(head)
      state.finish_cancel(head)
      head.fail("late")
      assert state.begin_cancel(behind, nil)
      assert_same head, state.aim(behind, nil)
      assert_equal [true, nil], [first.done?, state.fence]
      state.fence_off(behind, second = behind.fence)
      assert_equal [:fenced, second], [state.finish_cancel(behind), state.fence]
    end

    def test_a_fence_without_a_caller_left_to_read_it
      cancel(head)
      assert_equal false, state.abandon_fence
      state.finish_cancel(head)
      state.begin_ending
      assert_equal false, state.abandon_fence
      assert_equal [true, true, nil, true], [state.finish_ending, state.abandon_fence, state.fence, state.shut?]
    end

    def test_a_fence_that_the_owner_of_the_trunk_will_read
      assert state.reserve
      cancel(head.pin)
      state.finish_cancel(head)
      assert_equal [false, false, true], [state.abandon_fence, state.fence.nil?, state.shut?]
      finish(codec, 2)
      answer_fence
      state.lift
      assert_equal false, state.shut?
    end

    # Its owner waits for what others had sent before, and sends nothing meanwhile.
    def test_what_was_shared_is_cancelled_for_the_owner_of_the_trunk
      assert state.reserve
      head.fail("late")
      fence = cancel(head)
      assert_equal [:fenced, fence], [state.finish_cancel(head), state.fence]
    end

    def test_what_was_shared_is_not_cancelled_before_a_statement_of_the_owner
      assert state.reserve
      send_off(REQUEST.query(STATEMENT.new("SELECT 1", 2), []).pin)
      assert_equal [false, false], [state.begin_cancel(head, head), state.shut?]
    end

    def test_what_is_sealed_stays_shut
      state.seal
      cancel(head)
      state.finish_cancel(head)
      finish(codec, 2)
      answer_fence
      state.lift
      assert_equal [nil, true, false], [state.fence, state.shut?, state.reserve]
    end

    private

    def send_off(request) = request.tap { codec.submit(request) }

    # @return [Request] the fence
    def cancel(request)
      assert state.begin_cancel(request, request)
      assert_same request, state.aim(request, request)
      request.fence.tap { |fence| assert state.fence_off(request, fence) }
    end

    def answer_fence
      codec.input << frame("ZI")
      codec.receive([])
    end
  end
end
