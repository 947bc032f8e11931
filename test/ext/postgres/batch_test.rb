# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # The bytes of a batch, and whose answer is whose.
    class BatchTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def batch(*sql, atomic: true) = submit(Request.batch(sql.map { |text| Request.query(statement(text), []) }, atomic))

      def test_all_in_one_unit
        batch("SELECT 1", "SELECT 1", "SELECT 2")
        assert_equal "PDBEBEPDBES", types(sent)
      end

      def test_each_in_a_unit_of_its_own
        batch("SELECT 1", "SELECT 1", atomic: false)
        assert_equal "PDBESBESS", types(sent)
      end

      def test_answers_in_order
        request = batch("SELECT 1", "SELECT 2")
        answer(first_answer(N, ["1"]).delete_suffix(ready) + first_answer(N, ["2"]))
        assert_equal [true, [[["1"]], [["2"]]]], [request.answered?, request.members.map { |member| member.rows.map { |row| row.map(&:to_s) } }]
        assert request.members.all?(&:answered?)
      end

      def test_an_error_ends_all
        request = batch("SELECT 1", "SELECT 2", "SELECT 3")
        answer(first_answer(N, ["1"]).delete_suffix(ready) + failure("22012") + ready)
        assert_equal [false, [false, true, false]], [request.answered?, request.members.map { |member| !member.error.nil? }]
        assert request.done? && request.members.all?(&:done?)
      end

      def test_an_error_at_the_end
        request = batch("SELECT 1")
        answer(first_answer(N, ["1"]).delete_suffix(ready) + failure("23505") + ready)
        assert_equal [false, true, [nil]], [request.answered?, !request.error.nil?, request.members.map(&:error)]
      end

      def test_an_answer_that_ends_too_early
        batch("SELECT 1", "SELECT 2")
        assert_nonsense(first_answer(N, ["1"]), /before the answer was complete/)
      end

      # No more can be made of it, and its caller is told: it must not have left the queue.
      def test_an_answer_without_a_description
        ask("SELECT 1")
        request = batch("SELECT 2", "SELECT 1")
        answer(failure + ready)
        assert_nonsense(first_answer(N, ["1"]).delete_suffix(ready) + bind_complete + complete("SELECT 0") + ready, /before the answer was complete/)
        codec.fail(woken) { :lost }
        assert_equal [true, :lost], [request.done?, request.failure]
      end

      def test_only_queries
        assert_raises(ArgumentError) { Request.batch([], true) }
        assert_raises(ArgumentError) { Request.batch([Request.script("SELECT 1")], true) }
        assert_raises(TypeError) { Request.batch(["SELECT 1"], true) }
      end

      private

      def types(bytes)
        types = +""
        until bytes.empty?
          types << bytes[0]
          bytes = bytes.byteslice((1 + bytes[1, 4].unpack1("N"))..)
        end
        types
      end
    end
  end
end
