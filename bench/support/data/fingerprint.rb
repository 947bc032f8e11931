# frozen_string_literal: true

require "bigdecimal"
require "date"
require "digest"

module Trunkline
  module Bench
    # One short text for many rows of typed values; equal for two clients that mean the same by them.
    module Fingerprint
      module_function

      # @param rows [Array<Array>]
      # @return [String]
      def of(rows)
        rows.each_with_object(Digest::SHA256.new) { |row, digest| digest << row.map { |value| canonical(value) }.join("\t") << "\n" }
            .hexdigest
      end

      def canonical(value)
        case value
        when Time then value.getutc.strftime("%F %T.%6N")
        when Date then value.iso8601
        when BigDecimal then value.to_s("F")
        else value.inspect
        end
      end
      private_class_method :canonical
    end
  end
end
