# frozen_string_literal: true

module Trunkline
  module Postgres
    class Codec # :nodoc:
      # How what the connection has committed is made durable, where its commits do not wait for that themselves.
      #
      # @return [Flushes, nil]
      attr_accessor :flushes

      # What the server said before it hung up, if it said anything.
      #
      # @return [String, nil]
      def farewell_message = farewell && ErrorFields.parse(farewell)[:message]
    end
    private_constant :Codec, :PlanEpoch
  end
end
