# frozen_string_literal: true

require "socket"
require "test_helper"
require "support/dispatching"

module Trunkline
  # Spare trunks are taken and put aside in one step, where no step that needs the pool's lock comes before.
  class SparesTest < TestCase
    include Dispatching

    def setup
      super
      @mutex = Mutex.new
      @only_locked = Flag.new
      @peers = []
      @first, @last = Array.new(2) { state_with_socket }
      @spares = [@first, @last].map { |state| ConnectionLoop.new(state) }
      @pinned = []
      @dispatcher = growing(station(:shared))
    end

    def teardown
      @peers.each { |pair| pair.each(&:close) }
      super
    end

    def test_the_last_one_is_taken_with_its_user
      *others, last = @spares
      assert_same last, take
      assert_equal [others, [last]], [@spares, @pinned]
      assert_equal :user, last.user
    end

    def test_one_that_has_received_something_is_read_first = assert_none_taken { @peers.last.last.write("x") }
    def test_one_that_the_server_has_closed_is_read_first = assert_none_taken { @peers.last.last.close }
    def test_a_lost_one_is_not_taken = assert_none_taken { @last.lose }

    def test_none_is_taken_after_the_deadline
      late = request.limit(A_MOMENT)
      Clock.pass(2 * A_MOMENT)
      assert_nil take(late)
      refute_nil take
    end

    def test_one_with_an_answer_to_come_is_read_first
      assert_none_taken { @spares.last.codec.submit(short) }
    end

    def test_shared_ones_that_no_caller_reads_are_read_first
      @dispatcher = growing(station(:shared, short, led: false))
      assert_nil take
    end

    def test_none_is_taken_where_there_is_none
      @spares.clear
      assert_nil take
    end

    def test_none_is_taken_while_another_thread_has_the_lock = assert_none_taken { @mutex.lock }
    def test_none_is_taken_while_callers_wait = assert_none_taken { @only_locked.on = true }

    def test_an_expired_one_is_closed_first
      assert_none_taken { @first.expire }
      setup
      assert_none_taken { @last.expire }
    end

    def test_one_that_the_server_is_about_to_end_is_closed_first
      assert_none_taken do
        @dispatcher.idle_limit = A_MOMENT
        Clock.pass(2 * A_MOMENT)
      end
    end

    def test_a_superfluous_one_is_closed_first
      @dispatcher = growing(station(:shared), max_idle: A_MOMENT)
      assert_none_taken { Clock.pass(2 * A_MOMENT) }
    end

    def test_an_unused_one_that_stays_open_is_taken
      @spares.shift
      @dispatcher = growing(station(:shared), max_idle: A_MOMENT)
      Clock.pass(2 * A_MOMENT)
      refute_nil take
    end

    def test_what_is_no_trunk_is_left_to_the_lock
      @spares.push(Object.new)
      assert_nil take
      @pinned.push(Object.new)
      refute put_aside(@pinned.last)
    end

    def test_a_pinned_one_is_put_aside
      trunk = take
      assert put_aside(trunk)
      assert_equal [[], trunk], [@pinned, @spares.last]
      refute put_aside(trunk), "it is pinned no longer"
    end

    def test_none_is_put_aside_while_another_thread_has_the_lock = assert_none_put_aside { @mutex.lock }
    def test_none_is_put_aside_while_callers_wait = assert_none_put_aside { @only_locked.on = true }
    def test_an_expired_one_is_not_put_aside = assert_none_put_aside { @last.expire }
    def test_none_is_put_aside_where_that_allows_another_connection = assert_none_put_aside { @dispatcher.may_grow = false }

    def test_none_is_put_aside_where_that_allows_to_share_another
      trunk = take
      refute put_aside(trunk, growing: false)
      @dispatcher.choose_among(shared = [station(:shared), station(:shared)], shared.map(&:state))
      assert put_aside(trunk, growing: false), "as many are shared as stay open"
    end

    private

    def state_with_socket
      @peers.push(pair = UNIXSocket.pair)
      ConnectionState.new(codec, pair.first.fileno).attach_io(nil, pair.first, nil, @only_locked, [])
    end

    def take(caller = request) = @dispatcher.take_ready_spare(@mutex, @only_locked, @spares, @pinned, caller, :user)

    def put_aside(trunk, growing: true) = @dispatcher.put_aside(@mutex, @only_locked, @spares, @pinned, trunk, growing)

    def assert_none_taken
      before = @spares.dup
      yield
      assert_nil take
      assert_equal [before, []], [@spares, @pinned]
    end

    def assert_none_put_aside
      trunk = take
      yield
      refute put_aside(trunk)
      assert_equal [trunk], @pinned
    end
  end
end
