# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    # A read that two replicas have: its caller sleeps on the second one's connection.
    class HedgedReadTest < TestCase
      WAITED = 8_000.0 # seconds
      # A connection with so many bytes to write, which notes what is called.
      Connection = Struct.new(:name, :unwritten, :calls) do
        def codec = self
        def output = self
        def size = unwritten
        def read_unattended = calls << [:exchange, name]
        def await(_request, by) = calls << [:sleep, name, by]
      end
      Attempt = Struct.new(:trunk) do
        def request = nil
        def done? = false
      end
      private_constant :WAITED, :Connection, :Attempt

      # What remains to be written to the first replica does not wait for an eighth of the time that the caller has waited, and its answer neither.
      def test_it_is_exchanged_with_the_first_replica_before_its_caller_sleeps
        [0, 5].each do |unwritten|
          calls = []
          first, second = %i[first second].map { |name| Connection.new(name, unwritten, calls) }
          begun = Waiting.now
          hedged = Postgres.const_get(:HedgedRead).new(nil, nil, begun - WAITED)
          hedged.send(:await_either, Attempt.new(first), Attempt.new(second))
          assert_equal [%i[exchange first], %i[sleep second]], calls.map { |call| call.first(2) }
          assert_operator calls.last.last - begun, :<, WAITED / 16
        end
      end
    end
  end
end
