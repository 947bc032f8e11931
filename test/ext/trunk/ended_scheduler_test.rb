# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # Whether a thread has ended is asked of Ruby, and other threads may run until it answers. Here it is asked of threads that do what
  # those could: what a look at connections had read before has changed then.
  class EndedSchedulerTest < TestCase
    include Dispatching

    # @yield when it is asked whether the thread of the request's event loop, which has ended, is alive
    # @return [Request]
    def request_of_ended_thread(&meanwhile)
      thread = Thread.new { Sync { request } }
      thread.join.define_singleton_method(:alive?) { meanwhile.call && super() }
      thread.value
    end

    # Idle trunks of an ended event loop, which become busy, or idle again, whenever it is asked for.
    #
    # @return [Array<Station>]
    def changing_stations
      Array.new(3) { |number| station(number) }.each do |changing|
        changing.state.enter(request_of_ended_thread do
          changing.codec.in_flight.zero? ? changing.codec.submit(short) : finish(changing.codec)
          true
        end)
      end
    end

    def test_trunks_that_become_busy_while_one_is_looked_for
      %i[choose find keep_for room_for unread_for].each do |look|
        [short, long].each do |wanted|
          stations = changing_stations
          dispatcher = dispatcher(*stations)
          3.times { dispatcher.public_send(look, wanted, *(9 if look == :room_for)) }
          assert_operator dispatcher.idle_count, :<=, stations.size
          refute_nil dispatcher.find(short), look
        end
      end
    end

    def test_a_trunk_that_becomes_busy_while_it_is_looked_at
      stations = changing_stations
      dispatcher = dispatcher(*stations, station(:spare))
      assert_equal([true] * 3, stations.map { |station| dispatcher.accepts?(station.state, short) })
    end

    def test_trunks_that_are_replaced_while_one_is_looked_for
      dispatcher = dispatcher(station(:first))
      stations = Array.new(3) { |number| station(number) }
      stations.each do |station|
        station.state.enter(request_of_ended_thread { dispatcher.choose_among([stations.last], [stations.last.state]) && GC.start || true })
      end
      dispatcher.choose_among(stations, stations.map(&:state))
      assert_equal 2, (dispatcher.find(short) || dispatcher.find(short)).name
    end

    # The pool, which ends it, looks after a caller that has looked for a trunk.
    def test_a_reserved_trunk_tells_that_its_owner_was_dropped_until_it_is_released
      owned = station(:owned)
      owned.state.reserve
      owned.state.enter(request_of_ended_thread { true }.pin)
      dispatcher(owned).find(short)
      assert_equal [0, true, true], [owned.state.active, *Array.new(2) { owned.state.forget_dropped }]
      owned.state.release
      refute owned.state.forget_dropped
    end

    # The first of two threads that find the event loop ended is overtaken by the other, whose caller is active then.
    def test_a_caller_that_came_meanwhile_stays_active
      state = ConnectionState.new(codec)
      overtaken = false
      entered = request
      state.enter(request_of_ended_thread { overtaken || ((overtaken = true) && state.enter(entered)) })
      assert_equal [true, 1], [state.enter(request), state.active - 1]
      assert_equal [2, true], [state.active, overtaken]
    end

    def test_there_is_one_leader
      state = ConnectionState.new(busy = codec)
      overtaken = false
      first, second = Array.new(2) { request.tap { |one| busy.submit(one) } }
      dropped = request_of_ended_thread { overtaken || ((overtaken = true) && state.lead(first)) }
      state.enter(dropped)
      assert_equal [:parked, true], [state.lead(second), overtaken]
    end
  end
end
