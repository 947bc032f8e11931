# frozen_string_literal: true

module Trunkline
  module Postgres
    class Codec # :nodoc:
      # Makes the connection's commits durable if they do not wait for the disk themselves.
      #
      # @return [Flushes, nil]
      attr_accessor :flushes

      # Passes notices on before their answer is complete: see {ResponseReader#pass_notices_early}.
      #
      # @return [ResponseReader, nil]
      attr_writer :responses

      # @param request [Request] in flight, of the calling thread
      # @return [Boolean] whether notices can be passed on before the answer is complete. Not in a session: the caller's block may send a query there,
      #   which would wait for this answer
      def passes_notices_early?(request) = request.notices_to_yield? && !request.pinned? && !@responses&.on_notice.nil?

      # Passes on the notices that have arrived. Runs the caller's block.
      def pass_notices_early(request) = @responses.pass_notices_early(request)

      # The connection is lost. It refers no longer to callers that wait for a flush over it, whose event loop may have been dropped.
      def fail(woken, &)
        super
      ensure
        @flushes = nil
      end

      # The server's last message before it closed the connection.
      #
      # @return [String, nil]
      def closing_error_message = closing_error && ErrorFields.parse(closing_error)[:message]
    end
    private_constant :Codec, :PlanEpoch
  end
end
