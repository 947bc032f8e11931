# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"

module Trunkline
  # The answers of futures whose values are not asked for take no more bytes than max_future_bytes, or no more are begun.
  class FutureBytesTest < TestCase
    include DatabaseHelpers

    SIZE = 100_000
    MANY = 20
    private_constant :SIZE, :MANY

    def test_the_next_one_is_refused_until_their_values_are_read
      with_client(connections: 1, max_connections: 2, max_future_bytes: SIZE * 3) do |db|
        futures = Array.new(4) { large(db) }
        futures.each(&:wait)
        error = assert_raises(Overloaded) { large(db) }
        assert_match(/max_future_bytes is #{SIZE * 3}.*read their values/, error.message)
        assert_equal [false, 2], [error.sent?, db.value("SELECT 2")]
        assert_equal SIZE, futures.first.value.value.size
        assert_equal [SIZE] * 3, futures.drop(1).map { |future| future.value.value.size }
        assert_equal SIZE, large(db).value.value.size
      end
    end

    def test_waiting_for_one_is_not_asking_for_its_value
      with_client(connections: 1, max_connections: 2, max_future_bytes: SIZE) do |db|
        future = large(db)
        assert future.wait
        assert_raises(Overloaded) { large(db) }
        future.value
        large(db).value
      end
    end

    def test_one_that_was_awaited_before_its_answer_came_does_not_count
      with_client(connections: 1, max_connections: 2, max_future_bytes: SIZE) do |db|
        kept = Array.new(MANY) { large(db).tap(&:value) }
        assert_equal [true], kept.map(&:done?).uniq
      end
    end

    def test_those_that_the_program_has_dropped_do_not_count
      with_client(connections: 1, max_connections: 2, max_future_bytes: SIZE * 10) do |db|
        MANY.times do
          Thread.new { large(db).wait }.join
        end
      end
    end

    # In a transaction, too.
    def test_a_transactions
      with_client(connections: 1, max_connections: 2, max_future_bytes: SIZE) do |db|
        db.transaction do |tx|
          futures = Array.new(2) { large(tx) }
          futures.each(&:wait)
          assert_raises(Overloaded) { large(tx) }
          futures.each(&:value)
          assert_equal SIZE, large(tx).value.value.size
        end
      end
    end

    private

    def large(db) = db.async("SELECT repeat('x', #{SIZE})")
  end
end
