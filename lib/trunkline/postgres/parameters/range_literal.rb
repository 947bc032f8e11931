# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Ranges in the server's notation: ["2024-01-01","2024-02-01").
      module RangeLiteral
        class << self
          # @param range [Range, OpenRange] unbounded where it has no begin or end
          # @param parameter [Parameter] writes the bounds
          # @param type [Integer, #encode] of the bounds, 0 if unknown
          # @return [String]
          def of(range, parameter, type)
            open = OpenRange === range
            return "empty" if open && range.empty?

            lower = bound(range.begin, parameter, type)
            upper = bound(range.end, parameter, type)
            "#{open && range.exclude_begin? ? "(" : "["}#{lower},#{upper}#{range.exclude_end? ? ")" : "]"}"
          end

          private

          def bound(value, parameter, oid)
            return "" if value.nil?

            %("#{parameter.text(value, oid).gsub(/["\\]/) { |special| "\\#{special}" }}")
          end
        end
      end
    end
  end
end
