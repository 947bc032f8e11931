# frozen_string_literal: true

require_relative "finishers"

module Trunkline
  module Postgres
    class Types
      # How a type is decoded: as a built-in one, or as an array of it, in C; and what Ruby makes of that.
      #
      # base:: OID of a built-in type
      # array:: whether it is an array of that
      # kind:: makes the value, or the elements of the array, of the server's text; nil: not needed
      Entry = Struct.new(:base, :array, :kind) do # :nodoc:
        # @return [#call, nil] makes the final value of what C decoded, which is not nil, and counts it in a RowMemory
        def finisher = kind ? self : Finishers::BY_TYPE[builtin_oid]

        # @return [0] bytes of text that need no counting
        def uncounted(_share) = 0

        # @param value [String, Array] as C decoded it, if there is a kind
        # @param memory [RowMemory] of the value's row
        # @return [Object] the final value
        # @raise [UnreadableResult] the row's values take more memory than allowed
        def call(value, memory = RowMemory.new)
          return kind.decode(value, memory) unless array

          value.map { |item| item.is_a?(Array) ? call(item, memory) : item && kind.decode(item, memory) }
        end

        # @param text [String] of a value that is inside another
        # @param memory [RowMemory]
        # @return [Object] the final value
        # @raise [UnreadableResult] the row's values take more memory than allowed
        def decode(text, memory)
          value = Postgres.decode(base, array, 0, text, memory)
          return call(value, memory) if kind

          (last = finisher) ? last.call(value, memory) : value
        end

        # @return [Integer, #encode] the type for which a parameter is written
        def parameter_type
          return array ? ArrayKind.new(kind) : kind if kind

          builtin_oid
        end

        private

        def builtin_oid = array ? Postgres.builtin_type(base).last : base
      end
    end
  end
end
