# frozen_string_literal: true

require "suites"

# The client in plain threads.
class UnderThreadsTest < Trunkline::TestCase
  include Hosts::Threads
  include Interruptions
  include Suites::All

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

  def test_an_interrupted_connect_harms_nobody
    in_host_with_client(connections: 2) do |db|
      callers = Array.new(8) { later { db.value("SELECT 1") } }
      callers.first.cancel(Cancelled.new)
      assert_equal [1] * 7, callers.drop(1).map(&:value)
    end
  end

  private

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
