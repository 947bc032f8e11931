# frozen_string_literal: true

require "pathname"
require "set"
require "test_helper"

module Trunkline
  module Postgres
    class ParametersTest < TestCase
      BYTEA = 17
      TEXT = 25
      INTEGER = 23
      JSONB = 3802

      # Values that may be sent before the server's types are known.
      INDEPENDENT = [
        nil, true, false, 1, 2**70, 1.5, Float::NAN, Float::INFINITY, Rational(1, 3), BigDecimal("1.50"), "text", "", "naïve",
        "text".encode("UTF-16LE"), "ascii".encode("US-ASCII"), :symbol, Date.new(2024, 2, 29), TimeOfDay.new(1), Interval.new(days: 1),
        IPAddr.new("10.0.0.0/8")
      ].freeze

      DEPENDENT = [[], {}, Time.now, DateTime.now, 1..2, (1..), "bytes".b].freeze

      # Everything the catalogue has, a range, an enum.
      OIDS = [*(0..4000).select { |oid| Postgres.builtin_type(oid) }, 3904, 50_000].freeze

      def test_what_the_codec_takes_as_it_is
        values = [nil, true, false, 1, -(2**70), 1.5, Float::INFINITY]
        assert_equal values, Parameters.convert(values)
      end

      def test_the_callers_array_and_strings_stay_as_they_are
        strings = [+"a", +"b"].freeze
        converted = Parameters.convert(strings)
        strings.first << "!"
        assert_equal %w[a b], converted
      end

      def test_numbers_names_and_addresses
        { Rational(3, 8) => "0.375", BigDecimal("1.50") => "1.5", :symbol => "symbol", TimeOfDay.new(0, 3600) => "00:00:00+01",
          Interval.new(days: 1) => "P1D", IPAddr.new("10.0.0.0/8") => "10.0.0.0/8", IPAddr.new("10.0.0.1") => "10.0.0.1",
          IPAddr.new("fe80::/10") => "fe80::/10", IPAddr.new("::1") => "::1", Date.new(2024, 2, 29) => "2024-02-29" }
          .each { |value, text| assert_equal [text], Parameters.convert([value]) }
      end

      # Or else a statement's second execution could store something else than its first.
      def test_independent_values_do_not_look_at_types
        refute Parameters.dependent?(INDEPENDENT)
        first = Parameters.convert(INDEPENDENT).inspect
        OIDS.each { |oid| assert_equal first, Parameters.convert(INDEPENDENT, [oid] * INDEPENDENT.size).inspect, oid }
      end

      def test_dependent_values
        DEPENDENT.each { |value| assert Parameters.dependent?([1, value]), value.inspect }
        refute Parameters.dependent?([])
      end

      # For a type that another program has put in the place of the former one.
      def test_values_that_are_others_for_another_type
        at = Time.new(2024, 1, 1, 0, 0, 0, "+09:00")
        ["a".b, at, DateTime.new(2024, 1, 1, 0, 0, 0, "+9"), [], {}, [at], [[]], { "a" => at }, at..nil, Set[at]].each { |value| assert Parameters.ambiguous?([1, value]), value.inspect }
        [nil, 1, "a", :a, at.getutc, Date.new(2024), DateTime.new(2024), [1], { "a" => 1 }, 1..2, BasicObject.new].each { |value| refute Parameters.ambiguous?([value]) }
      end

      def test_binary_strings
        bytes = "\xFF\0".b
        converted = Parameters.convert([bytes], [BYTEA]).first
        assert_equal [bytes, Encoding::BINARY], [converted, converted.encoding]
        text = Parameters.convert(["ü".b], [TEXT]).first
        assert_equal ["ü", Encoding::UTF_8], [text, text.encoding]
        error = assert_raises(EncodingError) { Parameters.convert([1, bytes], [INTEGER, TEXT]) }
        assert_match(/\A\$2 is not valid UTF-8/, error.message)
      end

      def test_arrays_and_hashes
        assert_equal ["{1,NULL}"], Parameters.convert([[1, nil]], [1007])
        assert_equal ["{1,NULL}"], Parameters.convert([[1, nil]], [50_000])
        assert_equal ["[1,null]"], Parameters.convert([[1, nil]], [JSONB])
        assert_equal ['{"a":1}'], Parameters.convert([{ a: 1 }], [JSONB])
        assert_equal ['{"a":1}'], Parameters.convert([{ a: 1 }], [TEXT])
      end

      def test_an_array_for_what_is_none
        error = assert_raises(ArgumentError) { Parameters.convert([[1]], [INTEGER]) }
        assert_equal "pass parameters separately: $1 is integer, not an array; a list goes to = ANY($1)", error.message
      end

      def test_moments_in_documents_are_strings
        assert_equal ['"2024-02-29T12:00:00+00:00"'], Parameters.convert([Time.utc(2024, 2, 29, 12)], [JSONB])
      end

      def test_classes_without_a_form
        [Object.new, Complex(1, 2), Class, -> {}, BasicObject.new].zip(%w[Object Complex Class Proc BasicObject]) do |value, name|
          error = assert_raises(TypeError) { Parameters.convert([1, value]) }
          assert_match(/\Acannot send a #{name} as \$2: convert it to a String/, error.message)
        end
        assert_raises(TypeError) { Parameters.convert([[Object.new]], [1007]) }
      end

      # Of classes whose methods may be the caller's own.
      OF_CLASSES = [
        -> { Time.new(2024, 2, 29) }, -> { Date.new(2024, 2, 29) }, -> { DateTime.new(2024, 2, 29) }, -> { [1, "a", nil] }, -> { { a: [1] } }, -> { Class.new(Range).new(1, 5) },
        -> { IPAddr.new("10.0.0.0/8") }, -> { Set[1, 2] }, -> { Pathname("/a") }, -> { OpenRange.new(1, 2) }, -> { Interval.new(days: 1) }, -> { TimeOfDay.new(1) }
      ].freeze
      LIES = [nil, "x", -1, [], BasicObject.new].freeze
      private_constant :OF_CLASSES, :LIES

      # Each of its methods in turn returns what it must not return.
      def test_objects_that_do_not_behave_as_their_superclass
        OF_CLASSES.product(LIES, [0, 1114, 1082, JSONB, 1009]) do |make, lie, oid|
          (make.call.public_methods - %i[__send__ __id__ object_id instance_of? singleton_class freeze]).each do |method|
            value = make.call.clone(freeze: false)
            value.singleton_class.define_method(method) { |*, **, &_| lie }
            converted = Parameters.convert([value], [oid]).first
            assert [NilClass, TrueClass, FalseClass, Integer, Float, String].any? { |type| type === converted }, method # rubocop:disable Style/CaseEquality
          rescue TypeError, ArgumentError, EncodingError => error
            assert_operator error.message.size, :<, 300
          end
        end
      end
    end
  end
end
