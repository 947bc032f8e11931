# frozen_string_literal: true

module Trunkline
  module Postgres
    # The answer to a query that is on its way. Any fiber or thread may ask for it, also several.
    #
    #   users = db.async("SELECT name FROM users")
    #   users.value          # the Result; users.rows, users.first and users.each { } are what the Result has
    class Future
      include Enumerable

      # Seconds that {#cancel} takes at most.
      CANCEL_TIMEOUT = 5.0
      private_constant :CANCEL_TIMEOUT

      # @param trunk [Trunk] that the request goes over
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
        @request.claimed
        wait_for(nil) { @concluded }
        raise @error if @error

        @result
      end

      # Waits for the answer.
      #
      # @return [Array<Array>] as {Result#rows}
      # @raise [Error] as {#value}
      def rows = value.rows

      # Waits for the answer, and yields its rows.
      #
      # @yieldparam row [Hash]
      # @return [Result, Enumerator] as {Result#each}
      # @raise [Error] as {#value}
      def each(&block) = value.each(&block)

      # @return [String] the statement, without literals where one may be a password, and what is known of its answer; does not wait
      def inspect = "#<#{self.class} #{state}: #{ShortenedSQL.call(@request.statement.sql)}>"

      # Waits until the answer is there, or the time is over.
      #
      # @param timeout [Numeric, nil] seconds; nil is for ever
      # @return [Boolean] whether the answer is there
      def wait(timeout = nil)
        wait_for(Waiting.due(timeout)) { done? }
        done?
      end

      # @return [Boolean] whether the answer, or the news that none will come, is there; does not wait. What no caller waits for
      #   is not read either: a future is done when a caller on the same connection has waited.
      def done? = @request.done?

      # Ends the query, and returns when that is over: what has not been sent is taken back; what the server works on, the
      # server is asked to end; what stands behind others on its connection is left to run, and its answer dropped. The value
      # is {Cancelled} then. No other caller is disturbed.
      #
      # @return [Boolean] whether there will be no result; false: it is there already, or came before the end did
      def cancel
        return false unless @request.cancelled!

        @trunk.cancel(@request, Waiting.now + CANCEL_TIMEOUT)
        !@request.answered?
      end

      private

      def state
        return "in flight" unless done?
        return "done" if @request.answered?

        @request.cancelled? ? "cancelled" : "failed"
      end

      # One of the callers waits on the trunk; the others wait until it has the answer, or its deadline has passed.
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
        @others.dup.each(&:rouse)
      end

      def conclude
        @result = @answer.call(@request)
        @concluded = true
      rescue Error, ArgumentError => @error
        @concluded = true
      end

      def wait_beside(deadline)
        other = Waiter.new.park
        @others.push(other)
        @request.claimed? ? Waiting.park(other, deadline) : Waiting.unpark(other)
      ensure
        @others.delete(other)
      end
    end
  end
end
