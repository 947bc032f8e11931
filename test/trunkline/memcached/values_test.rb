# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/dalli_oracle"
require "json"

module Trunkline
  module Memcached
    # Values there and back, and what Dalli makes of them.
    class ValuesTest < TestCase
      VALUES = [nil, true, 0, -1, 1.5, 2**80, "", "".b, "text", "text".b, "text".encode("US-ASCII"), "text".encode("ISO-8859-1"), "\xFF", ("x" * 5000).b, "tëxt", "t\xC3\xA9xt".b, "\xFF\x00".b, "text".encode("UTF-16LE"),
                "\xE9".dup.force_encoding("ISO-8859-1"), :symbol, [1, [2]], { "a" => :b }, 1..3, Time.at(0),
                "x" * 5000, "é" * 5000, "\xFF\x00".b * 3000, Random.new(1).bytes(5000), Array.new(3000) { |number| number }].freeze

      def setup
        super
        @theirs = Dalli::Protocol::ValueMarshaller.new(silence_marshal_warning: true)
      end

      VALUES.each_with_index do |value, number|
        define_method("test_value_#{number}_comes_back") { assert_same_value value, through(values, values, value) }

        define_method("test_value_#{number}_is_read_by_dalli") do
          dumped(values, value) { |bytes, flags| assert_same_value value, @theirs.retrieve(bytes.b, flags) }
        end

        define_method("test_value_#{number}_is_read_from_dalli") do
          bytes, flags = @theirs.store("key", value)
          assert_same_value value, values.load(bytes.b, flags)
        end
      end

      def test_raw
        [values(raw: true), values].each do |raw|
          options = { raw: true }
          dumped(raw, "é" * 5000, options) { |bytes, flags| assert_equal ["é" * 5000, 0], [bytes, flags] }
          assert_equal "\x04\b".b, raw.load("\x04\b".b, 1, options)
          dumped(raw, 5, options) { |bytes, flags| assert_equal ["5", 0], [bytes, flags] }
          [nil, 1.5, [], Object.new].each { |value| assert_raises(MarshalError) { raw.dump(value, options) { flunk } } }
        end
      end

      def test_raw_of_dalli_is_read
        bytes, flags = @theirs.store("key", "text", { raw: true })
        assert_equal "text", values.load(bytes, flags)
      end

      def test_text_that_dalli_marks_is_read
        %w[plain tëxt].each do |text|
          bytes, flags = Dalli::Protocol::ValueSerializer.new(silence_marshal_warning: true).store(text, { string_fastpath: true }, 0)
          assert_same_value text, values.load(bytes.b, flags)
        end
      end

      def test_text_as_it_is
        fast = values(string_fastpath: true)
        ["text", "tëxt", "", "ë" * 5000].each do |text|
          dumped(fast, text) do |bytes, flags|
            assert_equal text.bytesize > 4096 ? 6 : 4, flags
            assert_same_value text, values.load(bytes.b, flags)
          end
          dumped(fast, text, { string_fastpath: false }) { |_, flags| assert_predicate flags, :odd? }
          dumped(values, text, { string_fastpath: true }) { |_, flags| assert_predicate flags, :even? }
        end
        dumped(fast, "\xE9".dup.force_encoding("ISO-8859-1")) { |_, flags| assert_equal 1, flags }
      end

      def test_long_values_are_compressed_where_that_helps
        dumped(values, "x" * 4096) { |bytes, flags| assert_equal [Zlib.deflate(Marshal.dump("x" * 4096)), 3], [bytes, flags] }
        dumped(values, "x" * 4000) { |_, flags| assert_equal 1, flags }
        dumped(values, ("x" * 4096).b) { |bytes, flags| assert_equal [Zlib.deflate(Marshal.dump(("x" * 4096).b)), 3], [bytes, flags] }
        dumped(values, ("x" * 4095).b) { |_, flags| assert_equal 0, flags }
        dumped(values, Random.new(2).bytes(9000)) { |_, flags| assert_equal 0, flags }
        dumped(values(compression_min_size: 10), "x" * 50) { |_, flags| assert_equal 3, flags }
        dumped(values(compress: false), "x" * 9000) { |_, flags| assert_equal 1, flags }
        dumped(values(compress: false), "x" * 9000, { compress: true }) { |_, flags| assert_equal 3, flags }
        dumped(values, "x" * 9000, { compress: false }) { |_, flags| assert_equal 1, flags }
      end

      def test_another_serializer_and_compressor
        ours = values(serializer: JSON, compressor: Dalli::GzipCompressor, compression_min_size: 1)
        value = { "a" => ["é"] * 50 }
        assert_equal value, through(ours, ours, value)
        dumped(ours, value) { |bytes, flags| assert_equal [value, 3], [JSON.parse(Zlib.gunzip(bytes.b).force_encoding("UTF-8")), flags] }
      end

      def test_what_cannot_be_stored
        error = assert_raises(MarshalError) { values.dump(-> {}) { flunk } }
        assert_match(/a value of Proc cannot be stored/, error.message)
        refute_predicate error, :sent?
      end

      # Says that it is longer than it is.
      class Huge < String
        def bytesize = (1 << 30) + 1
      end

      def test_what_is_longer_than_the_limit
        [-> { values.dump(Huge.new("x"), { raw: true }) { flunk } },
         -> { Marshal.stub(:dump, Huge.new("x")) { values(compress: false).dump(1) { flunk } } }].each do |dumping|
          error = assert_raises(ValueTooLarge, &dumping)
          refute_predicate error, :sent?
          assert_equal "the value has 1073741825 bytes, more than max_value (134217728)", error.message
        end
      end

      def test_what_cannot_be_read
        [["nonsense", 1], ["nonsense", 3], [Zlib.deflate("nonsense"), 3]].each do |bytes, flags|
          assert_raises(UnmarshalError) { values.load(bytes, flags) }
        end
      end

      # Thread#raise comes when it comes, in a serializer or compressor too; here within its first call, before it does anything.
      def test_an_interrupt_is_no_error_of_the_serializer_nor_of_the_compressor
        interrupted = lambda do |object|
          calls = 0
          Class.new(BasicObject) do
            define_method(:respond_to?) { |name| object.respond_to?(name) }
            define_method(:method_missing) do |name, *arguments|
              (calls += 1) == 1 ? ::Thread.current.raise(::RuntimeError, "from another thread") : object.public_send(name, *arguments)
            end
            define_method(:respond_to_missing?) { |*| true }
          end.new
        end
        [-> { values(serializer: interrupted.call(Marshal)).dump([1]) { flunk } },
         -> { values(serializer: interrupted.call(Marshal)).load(Marshal.dump([1]), 1) },
         -> { values(compressor: interrupted.call(Dalli::GzipCompressor)).load(Zlib.gzip("x"), 2) },
         -> { values(compressor: interrupted.call(Dalli::GzipCompressor)).load(Zlib.gzip(Marshal.dump([1])), 3) }].each do |interrupting|
          assert_equal [RuntimeError, "from another thread"], assert_raises(StandardError, &interrupting).then { |error| [error.class, error.message] }
        end
      end

      # The bytes that a server has to send for it are a thousandth of that.
      def test_what_inflates_to_more_than_the_limit
        short = values(max_value: 1_000_000)
        [Zlib.deflate("x" * 1_000_000), Zlib.deflate("x" * 100)].each { |bytes| assert_equal "x", short.load(bytes, 2)[0] }
        [Zlib.deflate("x" * 1_000_001), Zlib.deflate("\0" * 20_000_000)].product([2, 3]) do |bytes, flags|
          error = assert_raises(UnmarshalError) { short.load(bytes, flags) }
          assert_equal "the stored value has more bytes than max_value (1000000) when it is decompressed", error.message
        end
        gzip = values(compressor: Dalli::GzipCompressor, max_value: 1000)
        assert_raises(UnmarshalError) { gzip.load(Zlib.gzip("x" * 1001), 2) }
      end

      def test_what_is_cut_is_not_inflated
        long = values(max_value: 1_000_000)
        serialized = Zlib.deflate(Marshal.dump(Random.new(1).bytes(5000)))
        assert_raises(UnmarshalError) { long.load(serialized[0...-100], 3) }
        assert_equal 5000, long.load(serialized, 3).bytesize
      end

      def test_the_limit_itself
        [0, -1, 1.5, nil, (1 << 30) + 1].each { |most| assert_match(/max_value must be/, assert_raises(ArgumentError) { values(max_value: most) }.message) }
        error = assert_raises(ValueTooLarge) { values(max_value: 10).dump(("x" * 11).b) { flunk } }
        assert_equal "the value has 11 bytes, more than max_value (10)", error.message
      end

      def test_bytes_with_the_mark_of_text_stay_bytes
        assert_same_value "\xFF".b, values.load("\xFF".b, 2)
        assert_same_value "\xFF".b, values.load(Zlib.deflate("\xFF".b), 2)
      end

      def test_options_that_do_not_exist
        assert_raises(ArgumentError) { values.dump(1, { rav: true }) { flunk } }
        assert_raises(ArgumentError) { values(serializer: Object) }
        assert_raises(ArgumentError) { values(compressor: Zlib::Deflate) }
      end

      private

      def values(**options) = Memcached.const_get(:Values).new(**options)

      def dumped(values, value, options = nil, &block) = values.dump(value, options, &block)

      def through(writer, reader, value)
        dumped(writer, value) { |bytes, flags| reader.load(bytes.b, flags) }
      end

      def assert_same_value(expected, actual)
        expected.nil? ? assert_nil(actual) : assert_equal(expected, actual)
        assert_equal expected.encoding, actual.encoding if expected.is_a?(String)
      end
    end
  end
end
