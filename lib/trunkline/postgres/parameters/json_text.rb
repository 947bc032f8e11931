# frozen_string_literal: true

require "json"

module Trunkline
  module Postgres
    module Parameters
      # Ruby values as JSON documents.
      module JSONText
        # Far deeper than real values, but finite, for a structure that contains itself.
        MAX_NESTING = 1000
        private_constant :MAX_NESTING

        # @param value [Object]
        # @param parameter [Parameter] named in errors
        # @return [String]
        # @raise [ArgumentError] it has no form in JSON: NaN, invalid UTF-8, or it contains itself
        def self.of(value, parameter)
          JSON.generate(value, max_nesting: MAX_NESTING)
        rescue JSON::JSONError, EncodingError => e
          raise ArgumentError, "cannot send #{parameter.name} as JSON: #{e.message}"
        end
      end
    end
  end
end
