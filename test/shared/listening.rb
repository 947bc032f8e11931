# frozen_string_literal: true

module Shared
  # LISTEN and NOTIFY. The test includes a host.
  module Listening
    include Gated
    include Interruptions

    def test_listen_and_notify
      listening do |db, channel|
        subscription = db.listen(channel)
        assert_nil db.notify(channel, "first")
        db.notify(channel.to_sym, 2)
        db.notify(channel)
        taken = Array.new(3) { subscription.wait }
        assert_equal [[channel] * 3, ["first", "2", ""], [false] * 3], [taken.map(&:channel), taken.map(&:payload), taken.map(&:gap?)]
        assert_equal [true, nil], [taken.first.pid.positive?, subscription.wait(0.01)]
      end
    end

    def test_listen_to_channels_with_odd_names
      listening do |db, channel|
        names = ["#{channel} Straße", "#{channel}\"a\"; --", "#{channel}'b'", channel.ljust(63, "x"), :"#{channel}.c"]
        subscription = db.listen(*names)
        names.each { |name| db.notify(name, name) }
        assert_equal names.map(&:to_s), names.map { subscription.wait.channel }
        assert_equal names.map(&:to_s), subscription.channels
      end
    end

    def test_listen_to_channels_that_cannot_be
      listening do |db, _|
        { "" => ArgumentError, "x" * 64 => ArgumentError, "a\0" => ArgumentError, "\xFF" => EncodingError, 1 => TypeError, nil => TypeError }.each do |name, error|
          assert_raises(error) { db.listen(name) }
          assert_raises(error) { db.notify(name) }
        end
        assert_raises(ArgumentError) { db.listen }
        assert_raises(Trunkline::InvalidParameterValue) { db.notify("a", "x" * 8000) }
        assert_match(/pinned=0/, db.inspect)
      end
    end

    # One connection for all; each subscriber gets everything of its channels, in order.
    def test_listeners_side_by_side
      listening do |db, channel|
        subscriptions = Array.new(4) { |number| db.listen(channel, "#{channel}#{number}") }
        callers = subscriptions.map { |subscription| later { Array.new(6) { subscription.wait.payload } } }
        5.times { |number| db.notify(channel, number) }
        4.times { |number| db.notify("#{channel}#{number}", "last #{number}") }
        assert_equal Array.new(4) { |number| [*"0".."4", "last #{number}"] }, callers.map(&:value)
        assert_match(/pinned=1/, db.inspect)
        subscriptions.each(&:close)
        assert_match(/pinned=0/, db.inspect)
      end
    end

    # Others listen, and leave, while a caller waits.
    def test_listen_while_others_wait
      listening do |db, channel|
        first = db.listen(channel)
        waiting = later { first.wait.payload }
        20.times do |number|
          other = db.listen("#{channel}_#{number}")
          db.notify("#{channel}_#{number}", "to #{number}")
          assert_equal "to #{number}", other.wait.payload
          other.close
        end
        db.notify(channel, "done")
        assert_equal "done", waiting.value
      end
    end

    # Listeners of one client in threads and event loops at once.
    def test_listeners_of_several_schedulers
      listening do |db, channel|
        ready = Thread::Queue.new
        listen = ->(number) { db.listen(channel, "#{channel}#{number}").tap { ready.push(true) }.first(2).map(&:payload) }
        threads = Array.new(4) { |number| Thread.new { number.even? ? Sync { listen.call(number) } : listen.call(number) } }
        here = db.listen(channel)
        4.times { ready.pop }
        db.notify(channel, "all")
        4.times { |number| db.notify("#{channel}#{number}", number) }
        assert_equal [%w[all 0], %w[all 1], %w[all 2], %w[all 3], "all"], [*threads.map(&:value), here.wait.payload]
      end
    end

    def test_listen_with_a_block
      listening do |db, channel|
        listener = later { db.listen(channel) { |notification| break notification.payload } }
        db.notify(channel, "over") until listener.done?
        assert_equal "over", listener.value
        assert_match(/pinned=0/, db.inspect)
      end
    end

    def test_a_listeners_block_that_raises
      listening do |db, channel|
        other = db.listen(channel)
        spoiler = later { db.listen(channel) { raise "spoilt" } }
        db.notify(channel, "x") until spoiler.done?
        assert_equal ["spoilt", "x"], [spoiler.error.message, other.wait.payload]
      end
    end

    def test_a_subscription_that_is_closed
      listening do |db, channel|
        subscription = db.listen(channel)
        waiting = later { subscription.to_a }
        ask(db, 1)
        subscription.close
        assert_equal [[], true, nil, nil, nil], [waiting.value, subscription.closed?, subscription.wait, subscription.wait(1), subscription.close]
      end
    end

    def test_listeners_of_a_client_that_is_closed
      in_host_with_client do |db|
        subscription = db.listen("closing")
        waiting = later { subscription.wait }
        db.value("SELECT 1")
        db.close
        assert_instance_of Trunkline::Closed, waiting.error
        assert_raises(Trunkline::Closed) { db.listen("closing") }
      end
    end

    # The connection is made anew, and all listeners are told of the gap.
    def test_listeners_whose_connection_is_lost
      gated(connections: 1) do |db, proxy|
        channel = "lost_#{unique_name}"
        subscriptions = Array.new(3) { db.listen(channel) }
        waiting = subscriptions.map { |subscription| later { Array.new(2) { subscription.wait } } }
        ask(db, 1)
        proxy.disconnect
        psql("SELECT pg_notify('#{channel}', 'after')") until waiting.all?(&:done?)
        waiting.each { |caller| assert_equal [[true, nil], [false, "after"]], caller.value.map { |one| [one.gap?, one.payload] } }
      end
    end

    # While no connection could be opened, notifications were missed just so.
    def test_listeners_whose_next_connection_is_not_the_first_that_is_tried
      gated(connections: 1) do |db, proxy|
        channel = "late_#{unique_name}"
        subscription = db.listen(channel)
        proxy.refuse
        proxy.disconnect
        assert_nil subscription.wait(0.1)
        proxy.refuse(false)
        assert_predicate subscription.wait(60), :gap?
        psql("SELECT pg_notify('#{channel}', 'after')")
        assert_equal "after", subscription.wait.payload
      end
    end

    def test_a_listener_that_is_interrupted
      listening do |db, channel|
        subscription = db.listen(channel)
        callers = Array.new(3) { later { subscription.wait } }
        ask(db, 1)
        2.times { |at| callers[at].cancel(Interruptions::Cancelled.new) }
        2.times { |at| assert_instance_of Interruptions::Cancelled, callers[at].error }
        db.notify(channel, "still here")
        assert_equal "still here", callers.last.value.payload
      end
    end

    # A caller that uses the connection meanwhile sends UNLISTEN for the channel, too.
    def test_a_caller_that_leaves_and_may_not_wait_for_that
      gated do |db, proxy|
        leaving = db.listen("left_#{unique_name}")
        proxy.hold(:answers)
        before = proxy.messages(:requests)["Q"]
        coming = later { db.listen("come_#{unique_name}") }
        proxy.await_messages(:requests, "Q", before + 1)
        closing = later { leaving.close }
        eventually { leaving.closed? }
        closing.cancel(Interruptions::Cancelled.new)
        assert_instance_of Interruptions::Cancelled, closing.error
        proxy.release(:answers)
        coming.value
        assert_equal before + 2, proxy.messages(:requests)["Q"]
      end
    end

    def test_waiting_for_a_notification_under_a_deadline
      listening do |db, channel|
        subscription = db.listen(channel)
        assert_raises(Trunkline::Deadline) { Trunkline.deadline(0.05) { subscription.wait } }
        db.notify(channel, "later")
        assert_equal "later", Trunkline.deadline(20) { subscription.wait }.payload
      end
    end

    # As many as may be are kept. One more, and a gap stands in their place; those after it follow.
    def test_notifications_that_are_not_taken
      listening(max_notifications: 5) do |db, channel|
        idle, busy = db.listen(channel), db.listen("#{channel}_end")
        { 5 => [1, 2, 3, 4, 5], 6 => [nil], 8 => [nil, 7, 8] }.each do |count, kept|
          notify_all(db, channel, count)
          db.notify(busy.channels.first)
          busy.wait
          assert_equal kept.map { |number| number&.to_s }, Array.new(kept.size) { idle.wait(0)&.payload }
          assert_nil idle.wait(0)
        end
      end
    end

    # Together they keep no more bytes than may be: the one that has the most loses them.
    def test_bytes_of_notifications_that_are_not_taken
      listening(max_unrequested: 20_000) do |db, channel|
        full, little, busy = Array.new(3) { |number| db.listen("#{channel}_#{number}") }
        db.notify(little.channels.first, "kept")
        2.times { |number| db.notify(full.channels.first, number.to_s * 7000) }
        db.notify(busy.channels.first, "x" * 5000)
        assert_equal [5000, "0" * 7000, "1" * 7000], [busy.wait.payload.size, full.wait(0).payload, full.wait(0).payload]
        2.times { [full, busy].each { |one| db.notify(one.channels.first, "2" * 7000) } && busy.wait }
        assert_equal [true, nil, "kept", nil], [full.wait(0).gap?, full.wait(0), little.wait(0).payload, little.wait(0)]
      end
    end

    def test_no_more_subscriptions_than_may_be
      listening(max_subscriptions: 4) do |db, channel|
        callers = Array.new(10) { later { db.listen(channel) } }
        refused, kept = callers.partition(&:error)
        assert_equal [[Trunkline::Overloaded, false, true]], refused.map { |caller| [caller.error.class, caller.error.sent?, caller.error.retriable?] }.uniq
        assert_match(/\A4 subscriptions are open already \(max_subscriptions\)/, refused.first.error.message)
        assert_equal 4, kept.size
        kept.first.value.close
        again = db.listen(channel)
        db.notify(channel, "all")
        assert_equal ["all"] * 4, [again, *kept.drop(1).map(&:value)].map { |subscription| subscription.wait.payload }
      end
    end

    # One that no connection could be opened for is not open.
    def test_subscriptions_that_were_dropped_or_could_not_begin_do_not_count
      listening(max_subscriptions: 4) do |db, channel|
        30.times { Thread.new { db.listen(channel) && nil }.join }
        10.times { assert_raises(Trunkline::Deadline) { Trunkline.deadline(0) { db.listen("#{channel}_late") } } }
        db.listen(channel).close
      end
    end

    def test_notify_in_a_transaction
      listening do |db, channel|
        subscription = db.listen(channel)
        db.transaction { |tx| tx.notify(channel, "undone") && nil || raise(Trunkline::Rollback) }
        db.transaction { |tx| tx.notify(channel, "done") }
        assert_equal "done", subscription.wait.payload
      end
    end

    # A session that listens itself, as adapters of other libraries need.
    def test_a_session_that_waits_for_notifications
      listening do |db, channel|
        db.session do |session|
          session.query("LISTEN \"#{channel}\"")
          assert_nil session.wait_for_notification(0)
          waiting = later { session.wait_for_notification }
          psql("SELECT pg_notify('#{channel}', 'one'), pg_notify('#{channel}', 'two')")
          assert_equal %w[one two], [waiting.value.payload, session.wait_for_notification(10).payload]
          session.notify(channel, "own")
          assert_equal "own", session.wait_for_notification.payload
        end
        assert_equal 1, ask(db, 1)
      end
    end

    private

    # @param limits [Hash] of the client
    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldparam channel [String] of this test alone
    def listening(**limits)
      in_host_with_client(connections: 2, max_connections: 4, **limits) { |db| yield db, "c#{unique_name.delete_prefix("test-")}" }
    end

    # Sends the numbers from 1 on, all at once.
    def notify_all(db, channel, count) = db.query("SELECT pg_notify($1, number::text) FROM generate_series(1, $2) AS number", channel, count)
  end
end
