# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/dropped_fibers"
require "support/gated"
require "support/schedulers/hosts"

# Fibers that their event loop drops while they wait for a notification. Other subscriptions of the client get theirs, and the connection is not kept.
class DroppedSubscriptionsTest < Trunkline::TestCase
  include DatabaseHelpers
  include DroppedFibers
  include Gated
  include Hosts::Threads

  # Seconds after which a caller counts as stuck.
  LONG = 60
  private_constant :LONG

  def test_the_connection_is_free_after_another_subscription
    subscribing(max_connections: 2) do |db|
      Thread.new { drop_waiting(db) }.join
      db.listen("other").close
      assert_equal [0, 1], [db.stats[:pinned], db.transaction { |tx| ask(tx, 1) }]
    end
  end

  def test_another_reads_where_the_leaders_thread_has_ended
    subscribing do |db|
      mine = db.listen("mine")
      Thread.new { drop_waiting(db) }.join
      assert_equal ["it"], notified(db, mine).map(&:payload)
    end
  end

  # Only that thread could tell that its fiber was dropped.
  def test_another_reads_where_the_leaders_thread_makes_no_more_calls
    subscribing do |db|
      mine = db.listen("mine")
      in_a_thread_that_lives(db) { assert_equal ["it"], notified(db, mine).map(&:payload) }
    end
  end

  def test_another_begins_where_the_leaders_thread_makes_no_more_calls
    subscribing do |db|
      in_a_thread_that_lives(db) do
        begun = Thread.new { db.listen("mine") }
        assert begun.join(LONG), "it waits for good"
        assert_equal ["it"], notified(db, begun.value).map(&:payload)
      end
    end
  end

  # A caller that waits for a connection finds out that the fiber was dropped: the others keep theirs.
  def test_others_miss_nothing_where_connections_are_scarce
    subscribing(max_connections: 3) do |db|
      mine = db.listen("mine")
      Thread.new { drop_waiting(db) }.join
      waiting = db.transaction do |tx|
        ask(tx, 1)
        waiting = Thread.new { db.transaction { |own| ask(own, 2) } }
        assert eventually { db.stats[:queue][:to_pin] == 1 && waiting.stop? }
        waiting
      end
      assert_equal [2, ["it"]], [waiting.value, notified(db, mine).map(&:payload)]
    end
  end

  # Its fiber runs on after it was taken for dropped.
  def test_one_that_was_suspended_listens_again
    subscribing do |db|
      mine = db.listen("mine")
      mine.queue.suspend
      db.listen("other").close
      assert_equal [true, ["it"]], [mine.wait(LONG).gap?, notified(db, mine).map(&:payload)]
    end
  end

  private

  def subscribing(max_connections: 4, &)
    with_client(connections: 1, max_connections: max_connections, max_wait: 20) { |db| ask(db, 0) && yield(db) }
  end

  # In a fiber that the calling thread drops there.
  def drop_waiting(db)
    UntilOver.run do
      Fiber.schedule do
        subscription = db.listen("dropped")
        Fiber.scheduler.over = true
        subscription.wait
      end
    end
  end

  def in_a_thread_that_lives(db)
    dropped, finish = Array.new(2) { Thread::Queue.new }
    thread = keep_after(finish) { drop_waiting(db) && dropped.push(true) }
    dropped.pop
    yield
  ensure
    finish.close
    thread.join
  end

  # @return [Array<Notification>] what a thread gets that waits before the notification is sent
  def notified(db, subscription)
    waiting = Thread.new { subscription.first(1) }
    Thread.pass until waiting.stop?
    db.notify(subscription.channels.first, "it")
    assert waiting.join(LONG), "it waits for good"
    waiting.value
  end

  # An event loop that waits for sockets, until it is over.
  class UntilOver < Dropping
    attr_writer :over

    def io_wait(io, events, timeout = nil)
      return Fiber.yield if @over

      IO.select([io], (events & IO::WRITABLE).positive? ? [io] : nil, nil, timeout)
      events
    end
  end
  private_constant :UntilOver
end
