# frozen_string_literal: true

module Trunkline
  module Postgres
    # Which requests of an executor are sent again, and as what. A request that failed before it had an effect is repeated here, and nowhere else;
    # a batch that is a transaction is repeated as a whole by the same rules: see {Batching}. What is repeated as a block, a transaction for
    # example, is {TransactionRunner}'s.
    class Retries # :nodoc:
      # Times that a request is sent elsewhere when the connection it was to take turns out to be dead.
      MOST_TRIES = 5
      # What a server says when there are fewer or more parameters than it needs.
      MISCOUNTED = "08P01"
      # What it says when it, or the transaction, is read-only.
      READ_ONLY = "25006"
      # How a caller asks for a transaction that is to be so: as it begins, by a setting, or within a script.
      READ_ONLY_REQUESTED = /read[\s_]+only/i
      private_constant :MISCOUNTED, :READ_ONLY_REQUESTED

      # @param executor [Executor] that sends the requests
      # @param responses [ResponseReader]
      def initialize(executor, responses)
        @executor = executor
        @responses = responses
      end

      # Sends the request again for as long as that is right, until it has an answer. An answered one costs one look.
      #
      # @param request [Request] performed
      # @yieldparam again [Request] to be performed where a request travels otherwise than by the executor's `perform`
      # @return [Request] answered; the last attempt, where there were several
      # @raise [Error] what the last attempt failed with
      def until_answered(request, &again)
        request = repeated(request, &again) unless request.answered?
        @responses.announce(request)
        request
      end

      # Another server would refuse it, too.
      #
      # @return [Boolean]
      def requests_read_only?(request) = [*request.preamble, *request.script].any? { |sql| READ_ONLY_REQUESTED.match?(sql) }

      # It has had no effect, or may have one twice. A session cannot go on elsewhere.
      #
      # @return [Boolean]
      def resendable?(request, error)
        return !answered_within_transaction?(request) if request.bystander?
        return true if error.is_a?(NotSent)
        return request.idempotent? && !request.pinned? if error.is_a?(Indeterminate)

        !!request.route&.refused?(request, error)
      end

      # @param unit [Request] that it is a member of, or itself
      # @return [Boolean]
      def preparable_anew?(request, unit = request)
        request.outdated? && (!request.anew? || request.forgotten?) && !answered_within_transaction?(unit)
      end

      # What depends on the parameters' types waits until they are known again.
      #
      # @return [Request]
      def prepared_anew(request)
        return request.anew unless request.given

        @executor.learn(Request.describe(request.statement).limit_as(request).anew)
        again = @executor.converted(request.statement, request.given).limit_as(request)
        request.forgotten? ? again.unnamed! : again
      end

      private

      # @param request [Request] not answered
      def repeated(request)
        tries = 1
        moved = false
        until request.flowing?
          error = @responses.error(request)
          state = error.sqlstate
          check_what_was_miscounted(request) if state == MISCOUNTED
          request = another_try(request, error) if tries < MOST_TRIES || request.bystander?
          if state == READ_ONLY && !moved && !requests_read_only?(request)
            moved = true
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

      # The first execution of a statement meets a wrong number of parameters on the server, later ones meet it here.
      def check_what_was_miscounted(request)
        types = request.statement&.parameter_types
        @executor.check_count(request.parameters, types) if types
      end

      # A statement that is not what was remembered of it is prepared anew, unnoticed: once, and then without a name, where a pooler answers
      # for it by one that it has prepared before.
      #
      # @return [Request] the same one when there is no point in another
      # @raise [Cancelled] there would be, but for its caller
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
