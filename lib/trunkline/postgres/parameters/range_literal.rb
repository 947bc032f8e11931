# frozen_string_literal: true

module Trunkline
  module Postgres
    module Parameters
      # Ranges in the server's notation: ["2024-01-01","2024-02-01").
      module RangeLiteral
        class << self
          # @param range [Range] without a begin or an end it is unbounded there
          # @param parameter [Parameter] writes the bounds
          # @param oid [Integer] the range's type, 0 if it is not known
          # @return [String]
          def of(range, parameter, oid)
            lower = bound(range.begin, parameter, OIDs.bound(oid))
            upper = bound(range.end, parameter, OIDs.bound(oid))
            "[#{lower},#{upper}#{range.exclude_end? ? ")" : "]"}"
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
