# frozen_string_literal: true

module Trunkline
  module Postgres
    # Decides which requests of an executor are sent again, and in which form. A request that failed before it had an effect is repeated here, and
    # nowhere else; a batch that is a transaction is repeated as a whole by the same rules: see {Batching}. Blocks, for example transactions, are
    # repeated by {TransactionRunner}.
    class Retries # :nodoc:
      # How often a request is sent again when its connection is found to be lost: as often as there are shared connections by default (4), all of which
      # a server that restarts has closed, and once more over a new one.
      MOST_TRIES = 5
      # SQLSTATE for fewer or more parameters than the statement has.
      MISCOUNTED = "08P01"
      # SQLSTATE of a read-only server or transaction.
      READ_ONLY = "25006"
      # How a caller requests a read-only transaction: when it begins, by a setting, or within a script.
      READ_ONLY_REQUESTED = /read[\s_]+only/i
      private_constant :MISCOUNTED, :READ_ONLY_REQUESTED

      # @param executor [Executor] that sends the requests
      # @param responses [ResponseReader]
      def initialize(executor, responses)
        @executor = executor
        @responses = responses
      end

      # Repeats the request while that is right, until it is answered. An answered one costs one check.
      #
      # @param request [Request] performed
      # @yieldparam again [Request] to be performed, if not by the executor's `perform`
      # @return [Request] answered; the last attempt, if there were several
      # @raise [Error] of the last attempt
      def until_answered(request, &again)
        request = repeated(request, &again) unless request.answered?
        @responses.announce(request)
        request
      end

      # Another server would refuse it, too.
      #
      # @return [Boolean]
      def requests_read_only?(request) = [*request.preamble, *request.script].any? { |sql| READ_ONLY_REQUESTED.match?(sql) }

      # The request has had no effect, or may be executed twice. A session cannot move to another connection.
      #
      # @return [Boolean]
      def resendable?(request, error)
        return !answered_within_transaction?(request) if request.bystander?
        return true if error.is_a?(NotSent)
        return request.idempotent? && !request.pinned? if error.is_a?(Indeterminate)

        !!request.route&.refused?(request, error)
      end

      # @param unit [Request] of which it is a member, or itself
      # @return [Boolean]
      def preparable_anew?(request, unit = request)
        request.outdated? && (!request.anew? || request.forgotten?) && !answered_within_transaction?(unit)
      end

      # Values whose form depends on the parameters' types need these first.
      #
      # @return [Request]
      def prepared_anew(request)
        return request.anew unless request.given

        @executor.describe_request(Request.describe(request.statement).copy_limits(request).anew)
        again = @executor.converted(request.statement, request.given).copy_limits(request)
        request.forgotten? ? again.unnamed! : again
      end

      private

      # @param request [Request] not answered
      def repeated(request)
        tries = 1
        sent_elsewhere = false
        until request.flowing?
          error = @responses.error(request)
          state = error.sqlstate
          check_parameter_count(request) if state == MISCOUNTED
          request = another_try(request, error) if tries < MOST_TRIES || request.bystander?
          if state == READ_ONLY && !sent_elsewhere && !requests_read_only?(request)
            sent_elsewhere = true
            request = request.again if @executor.begins_elsewhere?(request)
          end
          raise announced(error, request) if request.done?

          tries += 1
          block_given? ? yield(request) : @executor.perform(request)
          break if request.answered?
        end
        request
      end

      def announced(error, request)
        @responses.announce(request)
        error
      end

      # The server counts the parameters at the first execution of a statement; later, they are counted here.
      def check_parameter_count(request)
        types = request.statement&.parameter_types
        @executor.check_count(request.parameters, types, request.statement.sql) if types
      end

      # A statement whose remembered description is outdated is prepared again, without an error: once, and then without a name, as a pooler may use a
      # statement that it has prepared before.
      #
      # @return [Request] the same one if another attempt would not help
      # @raise [Cancelled] it would, but the caller has cancelled
      def another_try(request, error)
        resendable = resendable?(request, error)
        return request unless resendable || preparable_anew?(request)
        raise announced(@responses.cancelled(request, error), request) if request.cancelled? && !request.deadline_passed?

        resendable ? request.again : prepared_anew(request)
      end

      def answered_within_transaction?(request) = !request.status.nil? && request.status != "I"
    end
    private_constant :Retries
  end
end
