# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # The types that decide how a parameter is written. OIDs of built-in types never change.
      module OIDs
        BYTEA = 17
        DATE = 1082
        TIME = 1083
        TIMESTAMP = 1114
        TIMESTAMPTZ = 1184
        TIMETZ = 1266
        JSON = [114, 3802].freeze

        # Range type => type of its bounds: int4, numeric, timestamp, timestamptz, date, int8.
        RANGES = { 3904 => 23, 3906 => 1700, 3908 => TIMESTAMP, 3910 => TIMESTAMPTZ, 3912 => DATE, 3926 => 20 }.freeze

        # Array of ranges => range type.
        RANGE_ARRAYS = { 3905 => 3904, 3907 => 3906, 3909 => 3908, 3911 => 3910, 3913 => 3912, 3927 => 3926 }.freeze

        module_function

        # @return [Boolean] json or jsonb
        def json?(oid)
          JSON.include?(oid)
        end

        # @return [String, nil] the type's name if it is known, and known not to be an array
        def scalar_name(oid)
          _, array, name = Postgres.builtin_type(oid)
          name unless array
        end

        # @return [Integer] the type of an array's elements, 0 if it is not known
        def element(array_oid)
          RANGE_ARRAYS[array_oid] || Postgres.builtin_type(array_oid)&.first || 0
        end

        # @return [Integer] the type of a range's bounds, 0 if it is not known
        def bound(range_oid)
          RANGES.fetch(range_oid, 0)
        end
      end
    end
  end
end
