# frozen_string_literal: true

require "test_helper"

module Trunkline
  # What bounds a client, and what may be said of it.
  class LimitsTest < TestCase
    def test_there_is_a_default_for_each
      limits = Limits.new
      Limits::DEFAULTS.each { |name, value| assert_equal value, limits.public_send(name) }
      assert_predicate limits, :frozen?
    end

    def test_given_ones_take_precedence
      assert_equal [7, 4096], Limits.new(max_waiting: 7).then { |limits| [limits.max_waiting, limits.max_in_flight] }
    end

    def test_what_cannot_be_one
      { max_in_flight: [0, -1, 1.5, "5", nil, Float::INFINITY], max_wait: [0, -1, "5", nil, Complex(1, 1), Float::NAN],
        max_waitin: [5] }.each do |name, values|
        values.each { |value| assert_match(/#{name}/, assert_raises(ArgumentError) { Limits.new(name => value) }.message) }
      end
    end

    def test_what_may_be_none
      assert_equal [0, 0.0], Limits.new(max_statement_age: 0, failover_wait: 0.0).then { |limits| [limits.max_statement_age, limits.failover_wait] }
      assert_raises(ArgumentError) { Limits.new(max_statement_age: -1) }
    end

    # Those opened together do not go together.
    def test_the_expiry_of_a_connection
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      expiries = Array.new(100) { Limits.new(max_lifetime: 1000).expiry - now }
      assert_operator expiries.min, :>=, 800
      assert_operator expiries.uniq.size, :>, 90
      assert_equal Float::INFINITY, Limits.new(max_lifetime: Float::INFINITY).expiry
    end

    def test_a_client_reports_bad_ones
      assert_raises(ArgumentError) { Trunkline.postgres(max_futures: 0) }
    end
  end
end
