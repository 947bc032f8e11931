# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Arrays in the server's notation, as in <tt>{1,NULL}</tt>.
      module ArrayLiteral
        # The server's own limit.
        MAX_DEPTH = 6
        BARE = [Integer, Float, Rational, BigDecimal, TrueClass, FalseClass].freeze
        private_constant :BARE

        class << self
          # @param values [Array] may nest
          # @param parameter [Parameter] writes the elements
          # @param element_oid [Integer, #encode] their type, 0 if unknown
          # @return [String]
          # @raise [ArgumentError] it nests deeper than the server allows
          def of(values, parameter, element_oid, depth = 1)
            raise ArgumentError, "#{parameter.name} nests deeper than #{MAX_DEPTH} arrays" if depth > MAX_DEPTH
            return "{}" if depth == 1 && empty?(values)

            parameter.check_null if values.any? { |value| nil.equal?(value) }
            elements = values.map do |value|
              nested?(value, element_oid) ? of(value, parameter, element_oid, depth + 1) : element(value, parameter, element_oid)
            end
            "{#{elements.join(",")}}"
          end

          private

          # The server has only one empty array, without dimensions.
          def empty?(values, depth = 1)
            depth <= MAX_DEPTH && values.all? { |value| Array === value && empty?(value, depth + 1) }
          end

          # Some types' values are Arrays themselves.
          def nested?(value, element) = Array === value && !(element.respond_to?(:array?) && element.array?)

          def element(value, parameter, oid)
            return "NULL" if nil.equal?(value)

            text = parameter.text(value, oid)
            BARE.any? { |klass| klass === value } ? text : %("#{text.gsub(/["\\]/) { |special| "\\#{special}" }}")
          end
        end
      end
    end
  end
end
