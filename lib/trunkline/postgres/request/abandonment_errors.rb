# frozen_string_literal: true

module Trunkline
  module Postgres
    # The errors of callers that stopped waiting.
    module AbandonmentErrors # :nodoc:
      # SQLSTATE of a statement that was cancelled, or ended by statement_timeout.
      QUERY_CANCELED = "57014"
      CLASSES = { deadline: Deadline, cancel: Cancelled }.freeze
      WHY = { deadline: "the deadline has passed", cancel: "it was cancelled" }.freeze
      # The errors of a statement of which it is unknown whether it is durable.
      UNFLUSHED = { deadline: Deadline, closed: Closed, failed: Indeterminate }.freeze
      private_constant :QUERY_CANCELED, :CLASSES, :WHY, :UNFLUSHED

      module_function

      # @param abandonment [Abandonment]
      # @return [Deadline, Cancelled]
      def unanswered(abandonment, **context)
        outcome = abandonment.sent ? "before the answer came: whether it had an effect is not known" : "before it was sent: nothing has happened"
        CLASSES.fetch(abandonment.why).new("#{WHY.fetch(abandonment.why)} #{outcome}", sent: abandonment.sent, **context)
      end

      # @param unflushed [Unflushed]
      # @return [Indeterminate, Deadline, Closed]
      def unflushed(unflushed, **context)
        kind = UNFLUSHED.fetch(unflushed.why)
        reason = unflushed.reason || WHY.fetch(:deadline)
        kind.new("the statement was executed, but is not known to be on disk, so a crash of the server may undo it: #{reason}", sent: true, **context)
      end

      # @param fields [Hash{Symbol => String}] the server's answer to the request
      # @return [Boolean] whether the server has ended the request because its caller cancelled it or its deadline passed
      def ended_by_server?(request, fields) = fields[:sqlstate] == QUERY_CANCELED && (request.deadline_passed? || request.cancelled?)

      # @return [Deadline, Cancelled]
      def ended_by_server(request, **context)
        why = request.deadline_passed? ? :deadline : :cancel
        atomic = request.repeatable?
        message = "#{WHY.fetch(why)}, and the server has ended the statement#{": it had no effect" if atomic}"
        CLASSES.fetch(why).new(message, sent: true, retriable: atomic && why == :deadline, **context)
      end
    end
    private_constant :AbandonmentErrors
  end
end
