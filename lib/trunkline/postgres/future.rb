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
        @others = []
        @concluded = false
      end

      # Waits for the answer.
      #
      # @return [Result] the same one every time
      # @raise [Error] what {Querying#query} would have raised, every time
      def value
        wait_for(nil) { @concluded }
        raise @error if @error

        @result
      end

      # Waits until the answer is there, or the time is over.
      #
      # @param timeout [Numeric, nil] seconds; nil is for ever
      # @return [Boolean] whether the answer is there
      def wait(timeout = nil)
        wait_for(timeout && (Waiting.now + timeout)) { done? }
        done?
      end

      # @return [Boolean] whether the answer, or the news that none will come, is there; does not wait. What nobody waits for
      #   is not read either: a future is done when somebody on the same connection has waited.
      def done? = @request.done?

      private

      # One of those who ask waits on the trunk; the others wait for him to have the answer, or to give up.
      def wait_for(deadline)
        Waiting.undisturbed do
          until yield || (deadline && Waiting.now >= deadline)
            @request.claim ? wait_on_trunk(deadline) : wait_beside(deadline)
          end
        end
      end

      def wait_on_trunk(deadline)
        @trunk.await(@request.adopt, deadline) unless done?
        conclude if done? && !@concluded
      ensure
        @request.disclaim
        @others.dup.each { |other| other.wake if other.wake_up }
      end

      def conclude
        @result = @answer.call(@request)
        @concluded = true
      rescue Error, ArgumentError => @error
        @concluded = true
      end

      def wait_beside(deadline)
        other = Request.companion
        @others.push(other.park)
        @request.claimed? ? Waiting.park(other, deadline) : Waiting.unpark(other)
      ensure
        @others.delete(other)
      end
    end
  end
end
