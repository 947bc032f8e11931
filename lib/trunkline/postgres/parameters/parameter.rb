# frozen_string_literal: true

require "bigdecimal"
require "date"
require "ipaddr"
require_relative "../../interval"
require_relative "../../time_of_day"
require_relative "array_literal"
require_relative "decimal_text"
require_relative "json_text"
require_relative "oids"
require_relative "range_literal"
require_relative "string_text"
require_relative "substitute"
require_relative "time_text"

module Trunkline
  module Postgres
    module Parameters
      # Converts one parameter to text; its name is for errors.
      class Parameter
        # @return [String] "$2"
        attr_reader :name

        # @param position [Integer] counted from 1
        # @param name [String] what errors call it, if it is not a parameter of a query
        # @param array_nulls [#check, nil] as in {Parameters.convert}
        def initialize(position, name = "$#{position}", array_nulls: nil)
          @name = name
          @array_nulls = array_nulls
        end

        # To be called for an Array that contains a nil.
        #
        # @raise [ConfigError] the server would read it as text
        def check_null = @array_nulls&.check(name)

        # @param value [Object]
        # @param oid [Integer, #encode] the server's type, 0 while unknown
        # @return [nil, true, false, Integer, Float, String] binary only for a bytea, which gets the bytes unchanged
        # @raise [TypeError] also if an object of a user's class does not behave like its superclass
        def convert(value, oid)
          case value
          when nil, true, false, Integer, Float then value
          when String then raw?(value, oid) ? StringText.frozen(value) : StringText.utf8(value, self)
          else text(value, oid)
          end
        rescue NoMethodError => error # its message may contain the value
          raise TypeError, "cannot send a #{class_of(value)} as #{name}: something that it returned, or itself, has no method #{error.name}"
        end

        # @param value [Object] anything but nil; also an element of an Array or the bound of a Range
        # @param oid [Integer, #encode] its type, 0 while unknown
        # @return [String] UTF-8, as the server reads it
        def text(value, oid)
          case value
          when true, false, Integer, TimeOfDay, Interval then String(value)
          when String then raw?(value, oid) ? StringText.hex(value) : StringText.utf8(value, self)
          when Symbol then StringText.utf8(value.name, self)
          when Float, Rational, BigDecimal then DecimalText.of(value)
          when IPAddr then address(value)
          when Kernel then structured(value, oid)
          else refuse(value)
          end
        end

        # @raise [TypeError] the value's class has no form in PostgreSQL
        def refuse(value, wanted = nil)
          advice = wanted ? "it takes #{wanted}" : "convert it to a String, Integer, Float, BigDecimal, Time, Date, Array or Hash first"
          raise TypeError, "cannot send a #{class_of(value)} as #{name}: #{advice}"
        end

        private

        # Values whose form depends on the type.
        def structured(value, oid)
          return oid.encode(value, self) if oid.respond_to?(:encode) && !value.instance_of?(Date)

          case value
          when Time, DateTime, Date then time(value, oid)
          when Array then array(value, oid)
          when Hash then document(value, oid)
          when Range, OpenRange then RangeLiteral.of(value, self, 0)
          else substituted(value, oid)
          end
        end

        def substituted(value, oid)
          substitute = Substitute.of(value, oid)
          substitute.nil? ? refuse(value) : text(substitute, oid)
        end

        def raw?(string, oid)
          oid == OIDs::BYTEA && string.encoding == Encoding::BINARY
        end

        def time(value, oid)
          text = TimeText.of(value, oid)
          OIDs.json?(oid) && !value.instance_of?(Date) ? JSONText.of(text, self) : text
        end

        def array(value, oid)
          return JSONText.of(value, self) if OIDs.json?(oid)

          type = OIDs.scalar_name(oid)
          raise ArgumentError, "pass parameters separately: #{name} is #{type}, not an array; a list goes to = ANY(#{name})" if type

          ArrayLiteral.of(value, self, OIDs.element(oid))
        end

        # Types that are not built in may accept JSON too.
        def document(value, oid)
          type = OIDs.no_document_name(oid)
          raise TypeError, "cannot send a Hash as #{name}, which is #{type}: a Hash goes to json and jsonb; pass its values separately, for $1, $2, ..." if type

          JSONText.of(value, self)
        end

        def address(value)
          prefix = value.prefix
          prefix == (value.ipv4? ? 32 : 128) ? value.to_s : "#{value}/#{prefix}"
        end

        # Works for a BasicObject, which has no such method.
        def class_of(value)
          Kernel.instance_method(:class).bind_call(value)
        end
      end
    end
  end
end
