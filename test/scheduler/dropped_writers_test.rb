# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/database_helpers"
require "support/dropped_fibers"
require "support/schedulers/hosts"

# Fibers that their event loop drops while they write, where writes share a flush.
class DroppedWritersTest < Trunkline::TestCase
  include DatabaseHelpers
  include DroppedFibers
  include Hosts::Threads

  # Its write is answered, and keeps its connection until it is durable. Its thread makes no more calls.
  def test_one_that_waits_for_the_flush_of_its_write
    with_table("n int") do |table|
      with_client(connections: 1, group_commit: true, max_wait: 20) do |db|
        write = ->(n) { db.batch { |batch| 2.times { batch.query("INSERT INTO #{table} VALUES ($1)", n) } } }
        write.call(1)
        beside_a_thread_that_lives(-> { Flushing.of(db).run { Fiber.schedule { write.call(2) } } }) do
          other = Thread.new { write.call(3) }
          assert other.join(60), "it waits for good"
        end
        assert_equal [1, 1, 2, 2, 3, 3], db.query("SELECT n FROM #{table} ORDER BY n").rows.flatten
      end
    end
  end

  # Else each lone write would wait for a flush of others.
  def test_one_that_writes_counts_no_more_after_a_while
    with_table("n int") do |table|
      with_client(connections: 1, group_commit: true) do |db|
        write = -> { db.query("INSERT INTO #{table} VALUES (1)") }
        write.call
        drop(1) { write.call }
        now = Trunkline.const_get(:Waiting).now
        Trunkline.const_get(:Waiting).stub(:now, -> { now + 31 }) { write.call }
        assert_equal 0, db.stats[:group_commit][:opened]
      end
    end
  end

  # One that drops its fiber where it waits for a flush.
  class Flushing < Dropping
    def self.of(db) = Class.new(self) { define_method(:flusher) { db.instance_variable_get(:@group_commit).pools.last.trunks.first } }

    def io_wait(io, events, timeout = nil)
      return Fiber.yield unless flusher.codec.idle?

      IO.select([io], (events & IO::WRITABLE).positive? ? [io] : nil, nil, timeout)
      events
    end
  end
  private_constant :Flushing
end
