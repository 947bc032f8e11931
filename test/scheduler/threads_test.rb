# frozen_string_literal: true

require "suites"

# The client in plain threads.
class UnderThreadsTest < Trunkline::TestCase
  include Hosts::Threads
  include Interruptions
  include Suites::All

  CLIENT = File.expand_path("../../lib/trunkline", __dir__)
  private_constant :CLIENT

  def test_sixteen_threads
    in_host_with_client(connections: 4) do |db|
      answers = side_by_side(1..16) { |number| Array.new(100) { |round| db.value("SELECT $1::int * 1000 + $2::int", number, round) } }
      assert_equal (1..16).map { |number| Array.new(100) { |round| (number * 1000) + round } }, answers
    end
  end

  def test_threads_interrupted_at_random_moments
    random = Random.new(Minitest.seed)
    in_host_with_client(connections: 4) do |db|
      stop = false
      threads = Array.new(16) { |number| asking_thread(db, number) { stop } }
      300.times { threads.sample(random: random).raise(Cancelled) && db.value("SELECT 1") }
      stop = true
      assert_equal [true], threads.map(&:value).uniq
    end
  end

  # Other threads ask meanwhile, so that the one interrupted leads, follows, and hands over.
  def test_a_query_interrupted_at_every_step
    beside_askers do |db|
      interrupt_everywhere(times: 4) { |number| db.query("SELECT $1::int, interval '1 day', timetz '12:00+01'", number) }
    end
  end

  def test_a_future_interrupted_at_every_step
    beside_askers do |db|
      interrupt_everywhere(times: 4) { |number| db.async("SELECT $1::int", number).tap { |future| future.wait(0.01) }.value }
    end
  end

  # What it wrote is there as a whole or not at all, and its connection is held by no caller.
  def test_a_transaction_interrupted_at_every_step
    with_table("number int") do |table|
      beside_askers(connections: 1, max_connections: 2) do |db|
        number = 1
        number += 1 while connected(db) && interrupted_at_step?(number) { write_three_times(db, table, number) }
        assert_operator number, :>, 100
        assert_equal [[3]], db.query("SELECT DISTINCT count(*) FROM #{table} GROUP BY number").rows
        assert_match(/pinned=0/, db.inspect)
      end
    end
  end

  def test_a_first_query_interrupted_at_every_step
    name = unique_name
    number = 1
    number += 1 while with_client(connections: 1, application_name: name) do |db|
      interrupted_at_step?(number) { db.value("SELECT 1") }
    end
    assert_operator number, :>, 5 # nine at least were counted
    assert_no_sessions(name)
  end

  # Then no caller listens, and the connection for it is held by none.
  def test_listening_interrupted_at_every_step
    notified do |channel|
      with_client(connections: 1, max_connections: 2) do |db|
        number = 1
        number += 1 while connected(db) && interrupted_at_step?(number) { db.listen(channel) { break } }
        assert_operator number, :>, 100
        assert_match(/pinned=0/, db.inspect)
      end
    end
  end

  def test_threads_killed_at_random_moments
    random = Random.new(Minitest.seed)
    in_host_with_client(connections: 3) do |db|
      stop = false
      threads = Array.new(16) { |number| asking_thread(db, number) { stop } }
      100.times do |round|
        threads.delete_at(random.rand(threads.size)).kill
        threads << asking_thread(db, 16 + round) { stop }
        assert_equal round, db.value("SELECT $1::int", round)
      end
      stop = true
      assert_equal [true], threads.map(&:value).uniq
    end
  end

  def test_a_killed_leader_hands_over
    gated do |db, proxy|
      leader, *others = in_flight(proxy, *askers(db, [1, 2, 3]))
      leader.body.kill
      assert_instance_of Caller::Killed, leader.error
      proxy.release(:answers)
      assert_equal [2, 3], others.map(&:value)
    end
  end

  def test_an_interrupted_connect_harms_no_other_caller
    in_host_with_client(connections: 2) do |db|
      callers = Array.new(8) { later { db.value("SELECT 1") } }
      callers.first.cancel(Cancelled.new)
      assert_equal [1] * 7, callers.drop(1).map(&:value)
    end
  end

  private

  # Runs the block while two threads ask, which must be answered to the end.
  def beside_askers(connections: 1, **options)
    with_client(connections: connections, **options) do |db|
      stop = false
      askers = Array.new(2) { |number| asking_thread(db, number) { stop } }
      yield db
      stop = true
      assert_equal [true], askers.map(&:value).uniq
      assert_equal 3, db.value("SELECT 3")
    ensure
      stop = true
    end
  end

  # Runs the block while another caller notifies.
  #
  # @yieldparam channel [String]
  def notified
    channel = unique_name
    stop = false
    with_client do |db|
      notifier = Thread.new { db.notify(channel) until stop }
      yield channel
    ensure
      stop = true
      notifier&.join
    end
  end

  # Runs the block again and again, each time with an interrupt one step later, until there are no more steps.
  #
  # @param times [Integer] of each step: not every run takes the same ones
  # @yieldparam number [Integer] of the step
  def interrupt_everywhere(times: 1, &block)
    number = 1
    number += 1 while Array.new(times) { interrupted_at_step?(number, &block) }.any?
    assert_operator number, :>, 5 # nine at least were counted
  end

  # Runs the block in a thread that is interrupted at the n-th end of a method or block of the client: there Ruby looks for
  # interrupts.
  #
  # @return [Boolean] false when there are not so many
  def interrupted_at_step?(number, &block)
    place = nil
    thread = Thread.new do
      interruption(number) { |step| place = step }.enable(target_thread: Thread.current) { block.call(number) }
    rescue Cancelled
      nil
    end
    assert thread.join(Hosts::LIMIT), "hangs in #{thread.backtrace}, interrupt #{number} was at #{place}, #{@last_place} before"
    @last_place = place
    !place.nil?
  end

  # @yieldparam place [String] where it interrupts
  def interruption(number)
    TracePoint.new(:return, :b_return) do |point|
      next unless point.path.start_with?(CLIENT) && (number -= 1).zero?

      yield "#{point.path}:#{point.lineno}"
      Thread.current.raise(Cancelled)
    end
  end

  # There is a connection for the next transaction: it takes the same steps as the one before.
  def connected(db) = db.transaction { |tx| tx.value("SELECT true") }

  def write_three_times(db, table, number)
    db.transaction do |tx|
      insert = ["INSERT INTO #{table} VALUES ($1)", number]
      tx.query(*insert)
      tx.transaction { |savepoint| savepoint.query(*insert) }
      db.query(*insert)
    end
  end

  # A thread that can be interrupted in its queries, and nowhere else.
  #
  # @return [Thread] whose value is whether every answer was the right one
  def asking_thread(db, number, &stop)
    Thread.handle_interrupt(Object => :never) { Thread.new { ask_until(db, number, &stop) } }
  end

  def ask_until(db, number)
    round = 0
    right = true
    right &&= asked?(db, number, round += 1) until yield
    right
  end

  def asked?(db, number, round)
    Thread.handle_interrupt(Object => :immediate) do
      db.value("SELECT $1::int * 100000 + $2::int", number, round) == (number * 100_000) + round
    end
  rescue Cancelled
    true
  end
end
