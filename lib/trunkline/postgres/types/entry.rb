# frozen_string_literal: true

module Trunkline
  module Postgres
    class Types
      # What a type is read as: a built-in one, or an array of it, in C; and what Ruby makes of that.
      #
      # base:: OID of a built-in type
      # array:: whether it is an array of that
      # kind:: what makes the value, or the elements of the array, of the server's text; nil: it needs nothing of the sort
      Entry = Struct.new(:base, :array, :kind) do # :nodoc:
        # @return [#call, nil] makes the final value of what C decoded, which is not nil
        def finisher
          return Finishers::BY_TYPE[builtin_oid] unless kind

          array ? Finishers.nested(method(:element)) : kind.method(:decode)
        end

        # @return [Object]
        def decode(text)
          value = Postgres.decode(base, array, 0, text)
          (last = finisher) ? last.call(value) : value
        end

        # @return [Integer, #encode] what a parameter is written for
        def parameter_type
          return array ? ArrayKind.new(kind) : kind if kind

          builtin_oid
        end

        private

        def element(text) = text.nil? ? nil : kind.decode(text)

        def builtin_oid = array ? Postgres.builtin_type(base).last : base
      end
    end
  end
end
