# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class RowMemoryTest < TestCase
      INT4 = Types::Entry.new(23, false, nil)
      INT4S = Types::Entry.new(23, true, nil)
      MESSAGE = /\Athe values of a row take more bytes of memory than max_message, 10000\z/

      # Three Arrays, with places for four elements.
      def test_arrays_of_one_value_have_the_limit_that_is_given
        assert_equal [[1], [2]], Postgres.decode(1007, true, 0, "{{1},{2}}", RowMemory.new(168))
        error = assert_raises(UnreadableResult) { Postgres.decode(1007, true, 0, "{{1},{2}}", RowMemory.new(167)) }
        assert_match(/more bytes of memory than max_message, 167\z/, error.message)
        assert_predicate error, :sent?
        assert_raises(ArgumentError) { Postgres.decode(1007, true, 0, "{1}", RowMemory.new, 1) }
        assert_raises(TypeError) { Postgres.decode(1007, true, 0, "{1}", 100) }
      end

      def test_what_cannot_be_counted
        assert_raises(TypeError) { RowMemory.new("much") }
        assert_raises(TypeError) { memory.take("much") }
        assert_raises(UnreadableResult) { memory.take((1 << 64) - 1) }
        assert_raises(TypeError) { memory.take_json(1) }
        assert_equal 10_000, memory.take(10_000).taken
        assert_equal [40, 64], [0, 3].map { |size| memory.take_array(size).taken }
      end

      def test_arrays_without_a_limit_given
        bytes = [6, 0, 23].pack("N3") + [1_500_000, 1].pack("N2") + ([1, 1].pack("N2") * 5) + ("\xFF\xFF\xFF\xFF".b * 1_500_000)
        error = assert_raises(UnreadableResult) { Postgres.decode(1007, true, 1, bytes) }
        assert_match(/max_message, #{256 << 20}/, error.message)
      end

      # A null attribute takes one byte of the text.
      def test_composites_of_nulls
        kind = composite(INT4, 80)
        assert_equal [nil] * 80, kind.decode("(#{"," * 79})", memory).values
        assert_exceeded { Types::Entry.new(25, true, kind).call(["(#{"," * 79})"] * 2, memory) }
      end

      def test_arrays_inside_composites
        kind = composite(INT4S, 2)
        assert_equal({ "a0" => [[1]] * 10, "a1" => [] }, kind.decode(%[("{#{(["{1}"] * 10).join(",")}}",{})], memory))
        assert_exceeded { kind.decode(%[("{#{(["{1}"] * 250).join(",")}}",{})], memory) }
        assert_exceeded { Types::Entry.new(25, true, kind).call(["({},{})"] * 31, memory) }
      end

      def test_composites_inside_ranges_and_composites
        inner = Types::Entry.new(25, false, composite(INT4S, 2))
        assert_exceeded { composite(inner, 40).decode("(#{(['"({},{})"'] * 40).join(",")})", memory) }
        ranges = Types::MultirangeKind.new(Types::RangeKind.new(inner))
        assert_exceeded { ranges.decode("{#{(['["({},{})",)'] * 40).join(",")}}", memory) }
      end

      # A text of commas alone is not split further than the type has attributes.
      def test_fields_beyond_those_of_the_type
        allocated = GC.stat(:total_allocated_objects)
        assert_raises(Types::OutdatedType) { composite(INT4, 2).decode("(#{"," * 100_000})", memory) }
        assert_operator GC.stat(:total_allocated_objects) - allocated, :<, 1_000
        assert_raises(Types::OutdatedType) { composite(INT4, 3).decode("(,)", memory) }
      end

      private

      def composite(type, count) = Types::CompositeKind.new((0...count).to_h { |number| ["a#{number}", type] })
      def memory = RowMemory.new(10_000)

      def assert_exceeded(&block)
        error = assert_raises(UnreadableResult, &block)
        assert_match(MESSAGE, error.message)
        assert_predicate error, :sent?
      end
    end
  end
end
