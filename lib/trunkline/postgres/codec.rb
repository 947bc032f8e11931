# frozen_string_literal: true

module Trunkline
  module Postgres
    class Codec # :nodoc:
      # How what the connection has committed is made durable, where its commits do not wait for that themselves.
      #
      # @return [Flushes, nil]
      attr_accessor :flushes

      # What tells callers of notices, and how: see {ResponseReader#tell_ahead}.
      #
      # @return [ResponseReader, nil]
      attr_writer :responses

      # @param request [Request] in flight, of the calling thread
      # @return [Boolean] whether there is something to tell its caller before the answer is here. Not in a session: its caller's block may ask there,
      #   which waits for the answer
      def tells_ahead?(request) = !request.notices.nil? && !request.pinned? && !@responses&.on_notice.nil?

      # Tells of the notices that have come. Runs the caller's block.
      def tell_ahead(request) = @responses.tell_ahead(request)

      # What the server said before it hung up, if it said anything.
      #
      # @return [String, nil]
      def farewell_message = farewell && ErrorFields.parse(farewell)[:message]
    end
    private_constant :Codec, :PlanEpoch
  end
end
