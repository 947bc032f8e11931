# frozen_string_literal: true

require "json"

module Trunkline
  module Postgres
    module Parameters
      # Ruby values as JSON documents.
      module JSONText
        # Far deeper than real values nest, and not endless for a structure that holds itself.
        MAX_NESTING = 1000
        private_constant :MAX_NESTING

        # @param value [Object]
        # @param parameter [Parameter] whose name an error says
        # @return [String]
        # @raise [ArgumentError] when it has no form in JSON: NaN, invalid UTF-8, itself inside
        def self.of(value, parameter)
          JSON.generate(value, max_nesting: MAX_NESTING)
        rescue JSON::JSONError, EncodingError => e
          raise ArgumentError, "cannot send #{parameter.name} as JSON: #{e.message}"
        end
      end
    end
  end
end
