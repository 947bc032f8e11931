# frozen_string_literal: true

require_relative "error_fields"

module Trunkline
  module Postgres
    class Codec # :nodoc:
      # What the server said before it hung up, if it said anything.
      #
      # @return [String, nil]
      def farewell_message = farewell && ErrorFields.parse(farewell)[:message]
    end
    private_constant :Codec, :PlanEpoch
  end
end
