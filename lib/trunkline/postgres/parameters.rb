# frozen_string_literal: true

require_relative "parameters/parameter"

module Trunkline
  module Postgres
    # Turns what callers pass for $1, $2, ... into what the codec can send. A statement's first execution does not know
    # the server's types yet, later ones do, and both must store the same: so only values of the classes that
    # {dependent?} tells may be written according to a type.
    module Parameters
      class << self
        # @param params [Array] one Ruby value per placeholder; left as it is
        # @param oids [Array<Integer>, nil] the server's type of each, user-defined ones as Types#parameter_oids has
        #   them; nil while unknown
        # @param array_nulls [#check, nil] an ArrayNulls, says whether the server takes a nil in an Array for what it is; nil: it does
        # @return [Array<nil, true, false, Integer, Float, String>] Strings are valid UTF-8 without NUL, but for those
        #   that go to a bytea as they are: these are binary
        # @raise [ArgumentError] when an Array meets a type that is none, or a text holds a NUL
        # @raise [EncodingError] when a text cannot be told in UTF-8
        # @raise [TypeError] when a value is of a class that has no form in PostgreSQL
        def convert(params, oids = nil, array_nulls = nil)
          params.map.with_index(1) do |value, position|
            immediate?(value) ? value : Parameter.new(position, array_nulls: array_nulls).convert(value, oids&.at(position - 1) || 0)
          end
        end

        # Whether any of them has a form that depends on the server's type, which therefore must be known first.
        #
        # @param params [Array]
        # @return [Boolean]
        def dependent?(params)
          params.any? do |value|
            case value
            when String then value.encoding == Encoding::BINARY
            when Kernel then structured?(value)
            else false # a BasicObject, which answers nothing that the === of others' classes may ask it
            end
          end
        end

        private

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
