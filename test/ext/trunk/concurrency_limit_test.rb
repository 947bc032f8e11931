# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # How many long queries run at once, beside a server and a client that are played on a clock of the test's own.
  class ConcurrencyLimitTest < TestCase
    include Dispatching

    WORK = 0.01    # seconds of each, on average
    TICK = 0.0005  # of the clock
    TRUNKS = 16
    ALONE = 1000  # ticks in which there is one at a time
    TICKS = 8000

    # What a server does for one connection.
    Desk = Struct.new(:station, :left, :unread, :fresh)

    def setup
      super
      @query = statement(WORK)
      @random = Random.new(1)
      @desks = Array.new(TRUNKS) { |number| Desk.new(station(number), 0, [], true) }
      @dispatcher = dispatcher(*@desks.map(&:station), connections: 4, most: TRUNKS + 1)
    end

    # What is prepared stays so.
    def codec = CODEC.new({}, 1 << 20)

    # All that may run does, after some time with one at once.
    #
    # @return [Float] how many were allowed in the second half of the time, on average
    #
    # @yieldparam tick [Integer]
    # @yieldreturn [Boolean] whether the client is stopped just then
    def run_long_ones(processors: TRUNKS)
      allowed = Array.new(TICKS) do |tick|
        Clock.pass(TICK)
        work(processors)
        go_on(tick) unless yield(tick)
        @dispatcher.allowed
      end
      allowed.last(TICKS / 2).sum.fdiv(TICKS / 2)
    end

    def go_on(tick)
      @desks.each { |desk| read(desk) }
      send_up_to(tick > ALONE ? TRUNKS : 1)
    end

    def work(processors)
      busy = @desks.select { |desk| desk.left.positive? }
      busy.each do |desk|
        desk.left -= TICK * [1.0, processors.fdiv(busy.size)].min
        desk.unread.push("C\0", "ZI") unless desk.left.positive?
      end
    end

    def read(desk)
      desk.unread.each { |message| desk.station.codec.input << frame(message) }
      desk.unread.clear
      desk.station.codec.receive([])
    end

    def send_up_to(most)
      while @dispatcher.longs < most && (station = @dispatcher.choose(query(@query)))
        desk = @desks[station.name]
        station.codec.submit(query(@query))
        desk.unread.concat(desk.fresh ? %W[1 t\0\0 n 2] : %w[2])
        desk.left = WORK * (0.5 + @random.rand)
        desk.fresh = false
      end
    end

    def test_where_they_wait_for_no_processor_all_trunks_but_one_are_theirs
      assert_operator run_long_ones { false }, :>=, TRUNKS - 1
    end

    def test_where_they_do_and_no_short_ones_come_they_are_theirs_too
      assert_operator run_long_ones(processors: 2) { false }, :>=, TRUNKS - 1
      assert_predicate @query.service, :long?
    end

    # As while it collects garbage: what was answered meanwhile is read late, all of it at once.
    def test_a_client_that_stops_for_a_while_does_not_slander_the_server
      allowed = run_long_ones { |tick| tick % 400 > 300 }
      assert_operator allowed, :>, TRUNKS / 2
      assert_predicate @query.service, :long?
    end

    # Always too late by more than the server needs: nothing is ever measured, and the limit grows without measurements.
    def test_nor_does_one_that_is_always_late
      assert_operator run_long_ones { |tick| tick % 40 != 0 }, :>, TRUNKS / 2
      assert_predicate @query.service, :long?
    end
  end
end
