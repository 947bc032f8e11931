# frozen_string_literal: true

require "bigdecimal"
require "date"
require_relative "decimal_text"
require_relative "json_text"
require_relative "oids"
require_relative "string_text"
require_relative "substitute"

module Trunkline
  module Postgres
    module Parameters
      # Converts one value for a column in binary format, which accepts only values of the column's type.
      class BinaryValue
        # 1 January 2000, in days since 1970, and in microseconds.
        EPOCH_DAYS = 10_957
        EPOCH = EPOCH_DAYS * 86_400 * 1_000_000
        # Day 0 of the Julian calendar's count, in days since 1970.
        JULIAN_DAY = 2_440_588
        BOOL = 16
        NUMERIC = 1700
        UUID = 2950
        INTEGERS = { 20 => (-2**63...2**63), 21 => (-2**15...2**15), 23 => (-2**31...2**31), 26 => (0...2**32) }.freeze
        FLOATS = [700, 701].freeze
        TEXTS = [19, 25, 114, 142, 1042, 1043, 3802].freeze
        private_constant :EPOCH_DAYS, :EPOCH, :JULIAN_DAY, :BOOL, :NUMERIC, :UUID, :INTEGERS, :FLOATS, :TEXTS

        # @return [String] "column 2"
        attr_reader :name

        # @param name [String]
        # @param oid [Integer] the column's type
        def initialize(name, oid)
          @name = name
          @oid = oid
        end

        # @param value [Object]
        # @return [nil, true, false, Integer, Float, String] for the codec; a binary String is sent unchanged
        # @raise [TypeError, ArgumentError, RangeError, EncodingError] the column does not accept it
        def convert(value)
          case value
          when nil then value
          when true, false then @oid == BOOL ? value : refuse(value)
          when Symbol then string(value.name)
          when Integer then integer(value)
          when Float, Rational, BigDecimal then decimal(value)
          when String then string(value)
          when Kernel then structured(value)
          else refuse(value)
          end
        end

        private

        def structured(value)
          return JSONText.of(value, self) if OIDs.json?(@oid) && (value.is_a?(Hash) || value.is_a?(Array))

          case value
          when Time, DateTime, Date then moment(value)
          else substituted(value)
          end
        end

        def substituted(value)
          substitute = Substitute.of(value, @oid)
          substitute.nil? || substitute.is_a?(Interval) ? refuse(value) : convert(substitute)
        end

        def integer(value)
          return value.to_f if FLOATS.include?(@oid)
          return numeric(value.to_s) if @oid == NUMERIC

          range = INTEGERS[@oid] || refuse(value)
          range.cover?(value) ? value : raise(RangeError, "#{name} takes integers from #{range.begin} to #{range.end - 1}")
        end

        def decimal(value)
          return value.to_f if FLOATS.include?(@oid)
          return numeric(DecimalText.of(value)) if @oid == NUMERIC

          refuse(value)
        end

        def string(value)
          return [value.delete("-")].pack("H*") if @oid == UUID && value.match?(/\A\h{8}-?\h{4}-?\h{4}-?\h{4}-?\h{12}\z/)
          return StringText.frozen(value) if @oid == OIDs::BYTEA && value.encoding == Encoding::BINARY
          return StringText.utf8(value, self) if TEXTS.include?(@oid)

          refuse(value)
        end

        def moment(value)
          case @oid
          when OIDs::DATE then [days(value) - EPOCH_DAYS].pack("l>")
          when OIDs::TIMESTAMP, OIDs::TIMESTAMPTZ then [microseconds(value) - EPOCH].pack("q>")
          else refuse(value)
          end
        end

        def days(value) = (value.is_a?(Time) ? Date.new(value.year, value.month, value.day, Date::GREGORIAN) : value).jd - JULIAN_DAY

        def microseconds(value)
          return days(value) * 86_400 * 1_000_000 if value.instance_of?(Date)

          time = value.to_time
          (time.to_i * 1_000_000) + time.usec
        end

        # Groups of four digits, with the weight of the first and the number of decimals.
        def numeric(text)
          return [0, 0, 0xC000, 0].pack("n4") if text == "NaN"
          return [0, 0, text.start_with?("-") ? 0xF000 : 0xD000, 0].pack("n4") if text.end_with?("Infinity")

          whole, fraction = BigDecimal(text).abs.to_s("F").split(".")
          fraction = "" if fraction == "0"
          whole = whole.rjust((whole.size + 3) / 4 * 4, "0")
          groups = (whole + fraction.ljust((fraction.size + 3) / 4 * 4, "0")).scan(/\d{4}/).map(&:to_i)
          [groups.size, (whole.size / 4) - 1, text.start_with?("-") ? 0x4000 : 0, fraction.size, *groups].pack("ns>nnn*")
        end

        def refuse(value)
          kind = Postgres.builtin_type(@oid)&.then { |_, array, type| array ? "an array of #{type}" : type } || "a type of your own"
          raise TypeError, "cannot write a #{Kernel.instance_method(:class).bind_call(value)} to #{name}, which is #{kind}, in binary: " \
                           "use the text format, which takes more"
        end
      end
    end
  end
end
