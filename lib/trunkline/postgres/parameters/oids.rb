# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Types that determine how a parameter is written. OIDs of built-in types never change.
      module OIDs
        # pg_type.dat
        BYTEA = 17
        DATE = 1082
        TIME = 1083
        TIMESTAMP = 1114
        TIMESTAMPTZ = 1184
        TIMETZ = 1266
        JSON = [114, 3802].freeze
        # Built-in types that may contain any text: bytea, "char", name, text, xml, unknown, character, character varying.
        TEXTS = [17, 18, 19, 25, 142, 705, 1042, 1043].freeze

        module_function

        # @return [Boolean] json or jsonb
        def json?(oid)
          JSON.include?(oid)
        end

        # @return [String, nil] the type's name if it is known, and not an array
        def scalar_name(oid)
          _, array, name = Postgres.builtin_type(oid)
          name unless array
        end

        # @return [String, nil] the type's name if it is known, and does not accept JSON
        def no_document_name(oid) = (scalar_name(oid) unless json?(oid) || TEXTS.include?(oid))

        # @return [Integer] the type of an array's elements, 0 if unknown
        def element(array_oid)
          Postgres.builtin_type(array_oid)&.first || 0
        end
      end
    end
  end
end
