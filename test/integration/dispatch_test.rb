# frozen_string_literal: true

require "test_helper"
require "async"

# Which connection a query takes.
class DispatchTest < Trunkline::TestCase
  LONG = "SELECT pg_backend_pid(), pg_sleep(0.05)"

  def test_long_queries_go_side_by_side_from_the_second_time_on
    with_client(connections: 4) do |db|
      Sync do |task|
        4.times.map { task.async { db.query("SELECT 1") } }.each(&:wait)
        db.query(LONG)
        pids = 4.times.map { task.async { db.value(LONG) } }.map(&:wait)
        assert_equal 4, pids.uniq.size
      end
    end
  end

  def test_a_connection_that_has_seen_nothing_but_long_queries
    with_client(connections: 4) do |db|
      Sync do |task|
        3.times { 4.times.map { task.async { db.value(LONG) } }.each(&:wait) }
        assert_equal 4, 4.times.map { task.async { db.value(LONG) } }.map(&:wait).uniq.size
      end
    end
  end
end
