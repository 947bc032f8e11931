# frozen_string_literal: true

module Trunkline
  module Postgres
    # The answer to a query that is on its way. Any fiber or thread may ask for it, also several.
    class Future
      # @param trunk [Trunk] the one that carries the request
      # @param request [Request]
      # @yieldparam request [Request] done
      # @yieldreturn [Result]
      def initialize(trunk, request, &answer)
        @trunk = trunk
        @request = request
        @answer = answer
        @lock = Mutex.new
      end

      # Waits for the answer.
      #
      # @return [Result] the same one every time
      # @raise [Error] what {Querying#query} would have raised, every time
      def value
        @lock.synchronize do
          await(nil)
          @result ||= @answer.call(@request)
        end
      end

      # Waits until the answer is there, or the time is over.
      #
      # @param timeout [Numeric, nil] seconds; nil is for ever
      # @return [Boolean] whether the answer is there
      def wait(timeout = nil)
        deadline = timeout && (Waiting.now + timeout)
        @lock.synchronize { await(deadline) }
        done?
      end

      # @return [Boolean] whether the answer, or the news that none will come, is there; does not wait. What nobody waits for
      #   is not read either: a future is done when somebody on the same connection has waited.
      def done? = @request.done?

      private

      def await(deadline)
        @trunk.await(@request.adopt, deadline) unless @request.done?
      end
    end
  end
end
