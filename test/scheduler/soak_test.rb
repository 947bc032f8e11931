# frozen_string_literal: true

require "suites"
require "support/soak"

# Everything at once for some seconds, with random cancels: nothing hangs, no answer goes astray, no wait for something
# else is cut short, and afterwards the client works. The seed is Minitest's, which it prints.
class SoakTest < Trunkline::TestCase
  include DatabaseHelpers

  def test_under_async
    extend Hosts::Async
    soak_in_host(200)
  end

  def test_under_the_reference_scheduler
    extend Hosts::Reference
    soak_in_host(200)
  end

  def test_in_threads
    extend Hosts::Threads
    soak_in_host(24)
  end

  def test_under_a_hostile_scheduler
    soak_under_hostility(cancel: 0.05, reorder: true, spurious: 0.05)
  end

  def test_under_a_hostile_scheduler_that_resumes_inline
    soak_under_hostility(cancel: 0.05, reorder: true, inline: true, yielding: true, without: %i[yield])
  end

  def test_under_a_hostile_scheduler_that_forgets
    soak_under_hostility(cancel: 0.05, reorder: true, forgetful: true)
  end

  def test_loops_and_threads_together
    with_client(connections: 4) do |db|
      hosts = [Hosts::Async, Hosts::Reference, Hosts::Threads, Hosts::Threads].map.with_index do |host, index|
        Thread.new { dup.extend(host).in_host { Soak.new(db, seed: Minitest.seed + (index * 1000)).run(25) } }
      end
      hosts.each { |host| assert_healthy(host.value, db) }
    end
  end

  private

  def soak_in_host(callers)
    in_host_with_client(connections: 3, max_connections: 8) do |db|
      assert_healthy(Soak.new(db, seed: Minitest.seed).run(callers), db)
    end
  end

  def soak_under_hostility(**hostility)
    extend Hosts::Hostile
    define_singleton_method(:hostility) { { seed: Minitest.seed, **hostility } }
    in_host_with_client(connections: 3, max_connections: 8) do |db|
      scheduler = Fiber.scheduler
      soak = Soak.new(db, seed: Minitest.seed, exposure: ->(block) { scheduler.expose(&block) })
      assert_healthy(soak.run(100), db)
    end
  end

  def assert_healthy(soak, db)
    assert_equal [0, 0], soak.counts.values_at(:astray, :disturbed), soak.counts
    %i[answers waits].each { |what| assert_operator soak.counts[what], :>, 0, what }
    assert_equal (1..20).to_a, Array.new(20) { |number| Caller.new { db.value("SELECT $1::int", number + 1) } }.map(&:value)
  end
end
