# frozen_string_literal: true

require_relative "parameters/parameter"

module Trunkline
  module Postgres
    # Converts the values that callers pass for $1, $2, ... to those that the codec can send. The first execution of a statement does not know the
    # server's types yet, later ones do, and both must store the same: so only values for which {dependent?} is true may be written according to a
    # type.
    module Parameters
      class << self
        # @param params [Array] one Ruby value per placeholder; not changed
        # @param oids [Array<Integer>, nil] the server's type of each, user-defined ones as Types#parameter_oids returns them; nil while unknown
        # @param array_nulls [#check, nil] an ArrayNulls, which raises if the server would read a nil in an Array as text; nil: it would not
        # @return [Array<nil, true, false, Integer, Float, String>] Strings are valid UTF-8 without NUL, except for those that are sent to a bytea
        #   unchanged: these are binary
        # @raise [ArgumentError] an Array for a type that is no array, or a text with a NUL
        # @raise [EncodingError] a text that cannot be converted to UTF-8
        # @raise [TypeError] a value of a class that has no form in PostgreSQL
        def convert(params, oids = nil, array_nulls = nil)
          params.map.with_index(1) do |value, position|
            immediate?(value) ? value : Parameter.new(position, array_nulls: array_nulls).convert(value, oids&.at(position - 1) || 0)
          end
        end

        # Whether the form of any of them depends on the server's type, which therefore must be known first.
        #
        # @param params [Array]
        # @return [Boolean]
        def dependent?(params)
          params.any? do |value|
            case value
            when String then value.encoding == Encoding::BINARY
            when Kernel then structured?(value)
            else false # a BasicObject, which lacks methods that === of other classes may call
            end
          end
        end

        # Whether the form of any of them for one type is a value of another type, too, and not the same one: bytes and text, the time of a zone and of
        # UTC, "{}" for an array and for a document.
        #
        # @param params [Array]
        # @return [Boolean]
        def ambiguous?(params)
          params.any? { |value| ambiguous_value?(value) }
        rescue NoMethodError # of an object that does not behave as its superclass
          true
        end

        private

        def ambiguous_value?(value)
          case value
          when String then value.encoding == Encoding::BINARY
          when Kernel then ambiguous_object?(value)
          else false
          end
        end

        def ambiguous_object?(value)
          case value
          when Time then value.utc_offset != 0
          when DateTime then value.offset != 0
          when Array, Set then value.empty? || ambiguous?(value)
          when Hash then value.empty? || ambiguous?(value.values)
          when Range, OpenRange then ambiguous?([value.begin, value.end])
          else false
          end
        end

        def structured?(value)
          case value
          when nil, true, false, Numeric, String, Symbol, Interval, TimeOfDay, IPAddr then false
          else !value.instance_of?(Date)
          end
        end

        def immediate?(value)
          case value
          when Integer, nil, true, false, Float then true
          else false
          end
        end
      end
    end
  end
end
