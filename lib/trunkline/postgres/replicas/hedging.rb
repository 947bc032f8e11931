# frozen_string_literal: true

require_relative "hedge_budget"
require_relative "hedged_read"
require_relative "left_behind"

module Trunkline
  module Postgres
    # Reads that are sent to a second replica when the first one is late: when 99 of 100 reads of the statement had their answers sooner. That is
    # counted over all replicas: of a replica that stalls for 1 % of its reads alone, a stall would be the p99.
    class Hedging # :nodoc:
      # Part of the reads that are not late.
      PART = 0.99
      # Reads of a statement before one is sent a second time: two of these are expected to be late.
      ENOUGH = 200
      private_constant :PART, :ENOUGH

      # @param set [ReplicaSet]
      def initialize(set)
        @set = set
        @budget = HedgeBudget.new
        @left_behind = LeftBehind.new
      end

      # Sends the read to the replica and waits for the answer, which may be that of another one.
      #
      # @param replica [Replica]
      # @param read [Read]
      # @return [Trunk, nil, false] as {Replica#perform}
      # @raise [Error] no connection to the replica could be had
      def perform(replica, read)
        since = Waiting.now
        times = times_of(read.request) or return alone(replica, read, since)
        @budget.fill
        trunk = times.count < ENOUGH ? alone(replica, read, since) : beside_others(replica, read, since, since + times.quantile(PART))
        times << (Waiting.now - since) if trunk
        @left_behind.look
        trunk
      end

      # Sends a late read to a second replica, if one takes it at once.
      #
      # @param read [Read] a copy for it
      # @param first [Replica] that is late
      # @param patience [Float] until when writing it may last, on the clock of Waiting.now
      # @return [Array(Replica, Trunk), nil] where it was sent, and over which connection; nil: none takes it, or there are too many such reads
      def send_beside(read, first, patience)
        return unless @budget.take

        second(read, first, patience) || (@budget.give_back && nil)
      end

      # The replica has answered, or refused, or there is no answer of it.
      #
      # @param seconds [Float] that were waited for it
      def note(replica, read, seconds)
        replica.times << seconds
        @set.note(replica, read)
      end

      # @param replica [Replica] that was chosen second, and for which no caller waits any more
      def left(replica) = @set.pass_by(replica)

      # A read that its caller wants no more, in flight there, takes long only if something is wrong.
      def leave_behind(trunk, request) = @left_behind.add(trunk, request)

      private

      def beside_others(replica, read, since, late_at)
        hedged = HedgedRead.new(self, read, since)
        trunk = hedged.perform(replica, late_at)
        @set.check_lag(replica) if trunk && !hedged.overdue?
        trunk
      end

      # @return [Histogram, nil] nil: it is no read that is sent a second time
      def times_of(request) = (request.statement.response_times unless request.members)

      def alone(replica, read, since)
        trunk = replica.perform(read.request, read.guard.after, false)
        note(replica, read, Waiting.now - since) if trunk
        @set.check_lag(replica) if trunk
        trunk
      end

      def second(read, first, patience)
        replica = @set.choose_among(others(read, first), read.request.statement) or return
        trunk = dispatch(replica, read, patience)
        trunk && [replica, trunk]
      end

      def others(read, first)
        now = Waiting.now
        passed = read.route.passed || []
        @set.replicas.select { |other| !other.equal?(first) && other.open? && !other.unsuitable?(read.guard, now) && !passed.include?(other.number) }
      end

      def dispatch(replica, read, patience)
        read.prepare_for(replica)
        read.request.patience = patience
        trunk = replica.dispatch_at_once(read.request, read.guard.after)
      ensure
        left(replica) unless trunk
      end
    end
    private_constant :Hedging
  end
end
