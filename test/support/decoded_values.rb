# frozen_string_literal: true

require "bigdecimal"

module Trunkline
  # Decoding single values as the codec does.
  module DecodedValues
    def text(oid, bytes) = Postgres.decode(oid, false, 0, bytes)

    def binary(oid, bytes) = Postgres.decode(oid, false, 1, bytes.b)

    # Equal, of the same class, and for a String in the same encoding.
    def assert_same_value(expected, actual, message = nil)
      assert_equal expected.class, actual.class, message
      assert same?(expected, actual), message || "#{expected.inspect} and #{actual.inspect} differ"
    end

    # @param type [String] what the message must name
    def assert_malformed(type, oid, format, *values)
      values.each do |bytes|
        error = assert_raises(ProtocolError, "#{bytes.inspect} is not refused") { Postgres.decode(oid, false, format, bytes.b) }
        assert_equal "malformed value of type #{type}", error.message
      end
    end

    # Every proper prefix, and the whole with a byte more.
    def assert_exact_length(type, oid, bytes)
      assert_malformed type, oid, 1, *(0...bytes.bytesize).map { |size| bytes.byteslice(0, size) }, "#{bytes.b}\0"
    end

    private

    def same?(one, other)
      case one
      when Array then one.size == other.size && one.zip(other).all? { |a, b| a.instance_of?(b.class) && same?(a, b) }
      when Float, BigDecimal then one.eql?(other) || (one.nan? && other.nan?)
      when String then one == other && one.encoding == other.encoding
      else one.eql?(other)
      end
    end
  end
end
