# frozen_string_literal: true

require_relative "../../trunk/undumpable"

module Trunkline
  module Postgres
    # The answer to a query in flight. Any number of fibers and threads may wait for it.
    #
    #   users = db.async("SELECT name FROM users")
    #   users.value          # the Result; users.rows, users.first and users.each { } are what the Result has
    class Future
      include Enumerable
      include Undumpable

      # Seconds that {#cancel} takes at most. It is a bound: of 40 cancels at a load of 15, the longest took 39 ms, but a server may have stopped.
      CANCEL_TIMEOUT = 5.0
      private_constant :CANCEL_TIMEOUT

      # @param trunk [Trunk] over which the request was sent
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
      # @raise [Error] the same that {Querying#query} would have raised, every time
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

      # @return [String] the statement, without literals if one may be a password, and whether it is answered; does not wait
      def inspect = "#<#{self.class} #{state}: #{ShortenedSQL.call(@request.statement.sql)}>"

      # Waits until the answer is there, or the timeout has passed.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [Boolean] whether the answer is there
      def wait(timeout = nil)
        wait_for(Waiting.due(timeout)) { done? }
        done?
      end

      # @return [Boolean] whether there is an answer or an error; does not wait. Nothing is read until a caller waits, so a future is done when some
      #   caller on the same connection has waited.
      def done? = @request.done?

      # Ends the query, and returns when that is done. A query that was not sent is withdrawn. One that the server executes is cancelled. One behind
      # others on its connection is left to run, and its answer is dropped. Then {#value} raises {Cancelled}. No other caller is affected.
      #
      # @return [Boolean] whether there will be no result; false: it is there already, or came first
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
        Waiting.without_interrupts do
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
        @others.dup.each(&:wake_if_parked)
      end

      def conclude
        @result = @answer.call(@request)
        @concluded = true
      rescue Error, ArgumentError => @error
        @concluded = true
      end

      # A caller that was dropped by its event loop does not wake the others.
      def wait_beside(deadline)
        other = Waiter.new.park
        @others.push(other)
        elsewhere = Waiting.of_another_loop?(@request) # the caller that waits on the trunk
        by = elsewhere ? Waiting.next_check(deadline) : deadline
        @request.claimed? ? Waiting.park(other, by) : Waiting.unpark(other)
        conclude_for_dropped if elsewhere && @request.claimed? && Waiting.now >= by
      ensure
        @others.delete(other)
      end

      def conclude_for_dropped
        @trunk.end_stall
        conclude if done? && !@concluded
      end
    end
  end
end
