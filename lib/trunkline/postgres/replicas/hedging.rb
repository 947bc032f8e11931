# frozen_string_literal: true

require_relative "hedge_budget"
require_relative "hedged_read"
require_relative "abandoned_reads"

module Trunkline
  module Postgres
    # Sends reads to a second replica when the first one is slow: slower than 99 of 100 reads of the same statement. That is measured over all
    # replicas: if only one replica's reads counted, and it stalled for 1 % of them, its stalls would be the p99.
    class Hedging # :nodoc:
      # The quantile above which a read is slow: a bound, so that one read in a hundred is sent a second time.
      QUANTILE = 0.99
      # Reads of a statement before one is sent a second time: two of these are expected to be slow. In 20,000 simulations the time found after 200 reads
      # was exceeded by 0.4 to 3.1 % of all reads (nine of ten simulations); after 100 reads by 0.4 to 4.7 %, after 1,000 by 0.6 to 1.7 %.
      MIN_READS = 200
      private_constant :QUANTILE, :MIN_READS

      # @param set [ReplicaSet]
      def initialize(set)
        @set = set
        @budget = HedgeBudget.new
        @abandoned_reads = AbandonedReads.new
      end

      # Sends the read to the replica and waits for an answer, which may be another replica's.
      #
      # @param replica [Replica]
      # @param read [Read]
      # @return [Trunk, nil, false] as {Replica#perform}
      # @raise [Error] no connection to the replica could be opened
      def perform(replica, read)
        since = Waiting.now
        times = times_of(read.request) or return alone(replica, read, since)
        @budget.fill
        trunk = times.count < MIN_READS ? alone(replica, read, since) : beside_others(replica, read, since, since + times.quantile(QUANTILE))
        times << (Waiting.now - since) if trunk
        @abandoned_reads.cancel_slow
        trunk
      end

      # Sends a slow read to a second replica, if one can take it at once.
      #
      # @param read [Read] a copy for it
      # @param first [Replica] that is slow
      # @param wait_until [Float] when to stop writing it, on the clock of Waiting.now
      # @return [Array(Replica, Trunk, Route), nil] where it was sent, over which connection, and for {#left}; nil: none can take it, or the budget is used up
      def send_beside(read, first, wait_until)
        taken = @budget.take or return
        sent = second(read, others(read, first), wait_until)
      ensure
        @budget.give_back if taken && !sent # also if the caller is stopped meanwhile
      end

      # Sends a read to another replica that can take it at once, in place of one where it would wait for a connection: that makes no more reads.
      # A replica that would open a connection for it is left to open one for its own reads.
      #
      # @return [Array(Replica, Trunk, Route), nil] as {#send_beside}
      def send_instead(read, first, wait_until) = second(read, others(read, first).select { |other| takes_at_once?(other, read) }, wait_until)

      # The replica has answered or refused, or has failed to answer.
      #
      # @param seconds [Float] that the caller has waited for it
      def note(replica, read, seconds)
        replica.times << seconds
        @set.note(replica, read)
      end

      # @param route [Route] to the replica that was chosen second, for which the caller does not wait any more
      def left(route) = @set.leave_chosen(route)

      # A read in flight that was abandoned takes long only if something is wrong.
      def abandon(trunk, request) = @abandoned_reads.add(trunk, request)

      private

      def beside_others(replica, read, since, slow_at)
        hedged = HedgedRead.new(self, read, since)
        trunk = hedged.perform(replica, slow_at)
        @set.check_lag(replica) if trunk && !hedged.slow?
        trunk
      end

      # @return [Histogram, nil] nil: it is not a read that may be sent a second time
      def times_of(request) = (request.statement.response_times unless request.members)

      def alone(replica, read, since)
        read.prepare_for(replica)
        trunk = replica.perform(read.request, read.guard.after, false)
        note(replica, read, Waiting.now - since) if trunk
        @set.check_lag(replica) if trunk
        trunk
      end

      def second(read, candidates, wait_until)
        route = Route.new
        replica = @set.choose_among(candidates, read.request.statement, route) or return
        trunk = dispatch(replica, read, wait_until)
        trunk && [replica, trunk, route]
      ensure
        left(route) unless trunk
      end

      def others(read, first)
        now = Waiting.now
        passed = read.route.passed || []
        @set.replicas.select { |other| !other.equal?(first) && other.open? && !other.unsuitable?(read.guard, now) && !passed.include?(other.number) }
      end

      # By what the statement takes at that replica.
      def takes_at_once?(replica, read)
        read.prepare_for(replica)
        !replica.would_wait?(read.request)
      end

      def dispatch(replica, read, wait_until)
        read.prepare_for(replica)
        read.request.wait_until = wait_until
        replica.dispatch_at_once(read.request, read.guard.after)
      end
    end
    private_constant :Hedging
  end
end
