# frozen_string_literal: true

require "test_helper"
require "support/dispatching"

module Trunkline
  # Which trunk takes the next request.
  class DispatcherTest < TestCase
    include Dispatching

    def chosen(dispatcher, request) = dispatcher.choose(request)&.name
    def found(dispatcher, request) = dispatcher.find(request)&.name

    # A fiber of another scheduler than that of the stations' leaders.
    def fibers(count = 1) = fellow_requests(count)

    def test_none
      assert_nil chosen(dispatcher(connections: 1), short)
    end

    # --- short ones ---

    def test_an_idle_one
      assert_equal :idle, chosen(dispatcher(station(:one, short), station(:idle), station(:two, short)), short)
    end

    # The others may become superfluous.
    def test_of_idle_ones_that_which_was_busy_last
      stations = %i[one two three].map { |name| station(name) }
      dispatcher = dispatcher(*stations)
      stations[1].codec.submit(short)
      finish(stations[1].codec)
      assert_equal [:two, 3], [chosen(dispatcher, short), dispatcher.idle_count]
    end

    def test_else_the_one_that_is_through_first
      stations = [station(:long, long), station(:much, *Array.new(9) { unseen }), station(:little, unseen)]
      stations.each { |station| station.state.round_trip = 3600.0 }
      assert_equal :little, chosen(dispatcher(*stations), short)
    end

    def test_no_query_joins_a_long_one
      stations = Array.new(3) { |number| station(number, long) }
      dispatcher = dispatcher(*stations)
      assert_equal [nil, nil, 0], [chosen(dispatcher, short), found(dispatcher, short), dispatcher.room_for(short, 1)]
    end

    def test_no_query_joins_a_late_one
      stations = [late(station(:late, short)), station(:long, long)]
      assert_nil chosen(dispatcher(*stations), short)
    end

    # @yieldparam state [ConnectionState] whose server should have answered
    # @yieldparam codec [Codec] its own
    # @yieldparam reader [Socket] where the answer would be
    # @yieldparam writer [Socket] the server's
    def with_late_connection
      reader, writer = UNIXSocket.pair
      codec = self.codec
      state = ConnectionState.new(codec, reader.fileno)
      codec.submit(short)
      Clock.pass(A_MOMENT) until state.behind_estimate?
      yield state, codec, reader, writer
    ensure
      [reader, writer].each(&:close)
    end

    # Its answer lies there: the client is late, not the server.
    def test_an_answer_that_no_caller_has_read_makes_nothing_late
      with_late_connection do |state, _codec, _reader, writer|
        writer.write("answer")
        assert_equal [false, true], [state.behind_estimate?, state.backlog < 0.001]
      end
    end

    # What was seen there is looked for again when it was read, and not before.
    def test_the_rest_of_an_answer_that_is_read_is_the_servers_to_send
      with_late_connection do |state, codec, reader, writer|
        state.attach_io(nil, reader, nil, Flag.new, [])
        writer.write("answer")
        refute_predicate state, :behind_estimate?
        codec.input.receive_from(reader.fileno)
        assert_predicate state, :behind_estimate?
      end
    end

    # How far away the server is makes nothing late either.
    def test_a_round_trip_is_not_the_servers
      near, far = station(:near, short), station(:far, short)
      far.state.round_trip = 3600.0
      late(near)
      assert_equal [:far, false], [chosen(dispatcher(near, far, connections: 2), short), far.state.behind_estimate?]
    end

    def test_where_no_caller_reads_the_next_one_does
      stations = [station(:long, long), station(:unread, long, led: false)]
      assert_equal [:unread, nil], [chosen(dispatcher(*stations), short), dispatcher(*Array.new(2) { station(:led, long) }).unread_for(short)]
    end

    def test_no_caller_reads_behind_a_long_one_that_could_have_another_trunk
      dispatcher = growing(station(:long, long, led: false), station(:late, short, led: false).then { |made| late(made) })
      assert_equal [nil, true], [found(dispatcher, short), dispatcher.unread_for(short) != nil]
      dispatcher.may_grow = false
      refute_nil found(dispatcher, short)
    end

    # The first answer to one of its kind tells how long it takes. Where there is one trunk only, there is nothing to wait for.
    def test_what_is_not_known_waits_for_an_answer_to_its_own_kind
      stations = Array.new(2) { |number| station(number) }
      dispatcher, never_seen = dispatcher(*stations), STATEMENT.new("SELECT 'never'", 0)
      only = dispatcher(station(:only, query(never_seen)))
      assert_equal :only, chosen(only, query(never_seen))
      stations.each { |one| one.codec.submit(query(never_seen)) }
      assert_equal [nil, nil, 0], [chosen(dispatcher, query(never_seen)), found(dispatcher, query(never_seen)), dispatcher.room_for(query(never_seen), 9)]
      refute_nil chosen(dispatcher, unseen), "no answer to one of that kind is on its way"
      Clock.pass(0.1)
      finish(stations.first.codec)
      assert_equal 1, dispatcher.room_for(query(never_seen), 9)
      assert_equal 0, chosen(dispatcher, query(never_seen))
    end

    # --- callers that ask for more without waiting ---

    def test_a_caller_that_does_not_wait_fills_nothing_beyond_a_little
      stations = [station(:one, *Array.new(50) { unseen }), station(:two, long)]
      dispatcher = dispatcher(*stations)
      eager = short.pipelined!
      assert_equal [nil, nil], [chosen(dispatcher, eager), dispatcher.unread_for(eager)]
      stations.first.codec.fail([]) { nil }
      assert_equal :one, chosen(dispatcher, eager)
    end

    def test_nor_where_no_caller_reads_but_the_new_one_reads_there
      stations = [station(:one, long, led: false), station(:two, long)]
      dispatcher = dispatcher(*stations)
      eager = short.pipelined!
      assert_equal [nil, :one], [chosen(dispatcher, eager), dispatcher.unread_for(eager).name]
      refute dispatcher.accepts?(stations.first.state, eager)
    end

    # --- long ones ---

    def test_a_long_one_goes_only_to_an_idle_trunk
      stations = [station(:busy, short), station(:idle), station(:free)]
      dispatcher = dispatcher(*stations)
      first = dispatcher.choose(long)
      first.codec.submit(long)
      assert_equal [%i[busy idle free].include?(first.name), 1], [true, dispatcher.longs]
      refute_equal :busy, first.name
    end

    # Not even where no caller reads: the next request would stand behind it. Its caller makes room there instead.
    def test_nor_behind_what_no_caller_reads
      dispatcher = dispatcher(station(:one, long), station(:unread, short, led: false))
      assert_equal [nil, nil], [chosen(dispatcher, long), found(dispatcher, long)]
      assert_equal [:unread, :unread], [dispatcher.unread_for(long).name, chosen(dispatcher, short)]
    end

    def test_never_the_last_one
      stations = [station(:one, long), station(:two, long), station(:three)]
      dispatcher = dispatcher(*stations)
      assert_equal [nil, nil, 0], [chosen(dispatcher, long), found(dispatcher, long), dispatcher.room_for(long, 1)]
      assert_equal :three, chosen(dispatcher, short)
    end

    # --- callers that wait ---

    def test_one_that_is_kept_for_one_caller_goes_to_no_other
      dispatcher = dispatcher(station(:one), station(:two), station(:three))
      asked = long
      kept = dispatcher.keep_for(asked)
      others = [chosen(dispatcher, short), chosen(dispatcher, long), found(dispatcher, fibers.first)]
      refute_includes others, kept.name
      assert_equal [true, false, 2], [asked.active?, kept.state.reserve, dispatcher.idle_count]
      kept.codec.submit(asked)
      assert_equal [1, 2], [dispatcher.longs, dispatcher.idle_count]
    end

    def test_a_caller_on_its_way_counts_as_if_it_were_there
      dispatcher = dispatcher(station(:one), station(:two), station(:three))
      assert_equal [true, true, nil], Array.new(3) { dispatcher.keep_for(long) && true }
      assert_equal [nil, 0], [chosen(dispatcher, long), dispatcher.room_for(long, 1)]
    end

    def test_one_that_was_kept_in_vain
      dispatcher = dispatcher(station(:one), station(:two))
      asked = long
      kept = dispatcher.keep_for(asked)
      dispatcher.choose_among([kept], [kept.state])
      assert_equal [nil, 0], [chosen(dispatcher, short), dispatcher.idle_count]
      kept.state.leave(asked)
      assert_equal [kept.name, 1, false], [chosen(dispatcher, short), dispatcher.idle_count, asked.active?]
    end

    def test_one_that_was_kept_by_a_thread_that_has_ended_since
      dispatcher = dispatcher(station(:one), station(:two))
      Sync do
        asked = long
        kept = Thread.new { dispatcher.keep_for(asked) }.value
        assert_equal [false, true], [kept.state.deserted?, asked.active?]
      end
    end

    def test_for_short_ones_none_is_kept
      assert_nil dispatcher(station(:one), station(:two)).keep_for(short)
      assert_nil dispatcher(station(:only)).keep_for(long)
    end

    def test_where_there_is_only_one_and_will_be_no_other_it_takes_all
      station = station(:only, long)
      dispatcher = dispatcher(station)
      late = late(station(:late, short))
      assert_equal %i[only only late], [chosen(dispatcher, long), chosen(dispatcher, short.pipelined!), chosen(dispatcher(late), short)]
    end

    # --- other schedulers, bounds ---

    def test_none_that_admits_the_scheduler
      stations = [station(:one, short), station(:two, short)]
      fiber = fibers.first
      dispatcher = dispatcher(*stations)
      assert_equal [nil, nil], [chosen(dispatcher, fiber), found(dispatcher, fiber)]
      stations.push(station(:idle))
      assert_equal :idle, chosen(dispatcher.choose_among(stations, stations.map(&:state)), fiber)
    end

    def test_for_fibers_the_current_one_continues_while_its_backlog_is_short
      idle, current = station(:idle), station(:current)
      current.state.round_trip = 3600.0
      dispatcher = dispatcher(current, idle)
      one, two = fibers(2)
      assert_equal :current, chosen(dispatcher, one)
      current.state.enter(one)
      current.codec.submit(short)
      assert_equal :current, chosen(dispatcher, two)
      3.times { current.codec.submit(unseen) }
      assert_equal :idle, chosen(dispatcher, two)
    end

    def test_a_full_one_is_not_chosen
      full = station(:full, short)
      full.state.set_in_flight_limits(1, 1 << 20, Float::INFINITY)
      other = station(:other, long, led: false)
      assert_equal :other, chosen(dispatcher(full, other), short)
    end

    def test_an_old_one_has_to_be_replaced_first
      old = station(:old)
      old.state.set_in_flight_limits(9, 1 << 20, 0)
      dispatcher = dispatcher(station(:young), old)
      assert_equal [nil, :old], [chosen(dispatcher, short), dispatcher.expired.name]
      assert_nil dispatcher(station(:young)).expired
    end

    def test_many
      stations = Array.new(100) { |number| station(number, long) }
      stations[42] = station(42)
      dispatcher = dispatcher(*stations)
      assert_equal [42, 99, 1], [chosen(dispatcher, short), dispatcher.longs, dispatcher.idle_count]
      stations[42].codec.submit(unseen)
      assert_equal 42, found(dispatcher, short)
    end

    def test_many_that_are_busy_share_what_comes
      stations = Array.new(100) { |number| station(number, unseen).tap { |made| made.state.round_trip = 3600.0 } }
      dispatcher = dispatcher(*stations)
      300.times { dispatcher.choose(short).codec.submit(unseen) }
      assert_operator stations.map { |made| made.codec.in_flight }.max, :<, 20
    end

    # --- trunks that come and go ---

    def test_a_trunk_that_is_no_more_among_them_is_forgotten
      gone, kept = station(:gone, long), station(:kept)
      dispatcher = dispatcher(gone, kept)
      dispatcher.choose_among([kept], [kept.state])
      finish(gone.codec)
      assert_equal [0, 1], [dispatcher.longs, dispatcher.idle_count]
    end

    def test_each_has_one_state
      assert_raises(ArgumentError) { dispatcher.choose_among([1], []) }
      assert_raises(TypeError) { dispatcher.choose_among([1], [2]) }
      assert_raises(TypeError) { dispatcher(station(:one)).choose(Object.new) }
    end

    def test_what_is_idle_for_too_long_is_superfluous
      used, other = station(:used), station(:other)
      dispatcher = dispatcher(used, other, connections: 1, max_idle: 10)
      Clock.pass(10 - A_MOMENT)
      used.codec.submit(short)
      assert_equal [:other, nil], [chosen(dispatcher, short), dispatcher.superfluous]
      Clock.pass(2 * A_MOMENT)
      assert_equal [nil, :other], [chosen(dispatcher, short), dispatcher.superfluous.name]
      dispatcher.choose_among([other], [other.state])
      assert_equal [:other, nil], [chosen(dispatcher, short), dispatcher.superfluous]
    end
  end
end
