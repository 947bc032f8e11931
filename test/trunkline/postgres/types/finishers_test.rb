# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class FinishersTest < TestCase
      def test_documents
        [114, 3802].each do |oid|
          { '{"a": [1, null]}' => { "a" => [1, nil] }, "1" => 1, "1.5" => 1.5, "null" => nil, '"ü"' => "ü", "[]" => [],
            "123456789012345678901234567890" => 123_456_789_012_345_678_901_234_567_890 }
            .each { |text, value| value.nil? ? assert_nil(finish(oid, text)) : assert_equal(value, finish(oid, text)) }
        end
      end

      def test_documents_nest_as_they_like
        text = "#{"[" * 300}#{"]" * 300}"
        assert_equal text, finish(3802, text).inspect
      end

      # Each level takes some of the stack of whichever fiber reads it.
      def test_documents_that_nest_too_deep
        deep, too_deep = [1000, 1100].map { |levels| "#{"[" * levels}#{"]" * levels}" }
        assert_equal deep, finish(3802, deep).inspect
        { 114 => too_deep, 3807 => [too_deep] }.each do |oid, value|
          error = assert_raises(UnreadableResult) { finish(oid, value) }
          assert_match(/deeper than 1000 levels: read it as text, with decode: { 114 => :text/, error.message)
        end
        assert_raises(UnreadableResult) { finish(3802, "[" * 1_000_000) }
      end

      def test_addresses
        [869, 650].each { |oid| assert_equal IPAddr.new("10.0.0.0/8"), finish(oid, "10.0.0.0/8") }
      end

      def test_arrays
        [199, 3807].each { |oid| assert_equal [[{ "a" => 1 }, nil], [[1], 2]], finish(oid, [['{"a":1}', nil], ["[1]", "2"]]) }
        [1041, 651].each { |oid| assert_equal [IPAddr.new("::1"), nil], finish(oid, ["::1", nil]) }
      end

      def test_types_without_a_last_step
        [16, 23, 25, 1007, 1700, 0].each { |oid| assert_nil Types.finisher(oid) }
      end

      private

      def finish(oid, value) = Types.finisher(oid).call(value)
    end
  end
end
