# frozen_string_literal: true

require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # How many reads of a client may be sent to a second replica: one of so many reads. A token bucket, which reads fill, and not the time: what is
    # saved up allows for a replica that stops with many reads in flight.
    class HedgeBudget # :nodoc:
      # Reads that fill one token: 2 % of them.
      READS = 50
      # Tokens at most, as 5,000 reads fill them: a hundred callers may wait for a replica as it stops. It is chosen, not measured.
      MOST = 100
      private_constant :READS, :MOST

      def initialize
        @lock = Lock.new
        @reads = @spent = 0
      end

      # A read was asked for. Of two threads that call this at once, one may not count.
      def fill = @reads += 1

      # @return [Boolean] whether a read may be sent a second time
      def take
        @lock.synchronize do
          filled = @reads / READS
          @spent = [@spent, filled - MOST].max
          @spent < filled && (@spent += 1) && true
        end
      end

      # A read was not sent a second time after all.
      def give_back = @lock.synchronize { @spent -= 1 }
    end
    private_constant :HedgeBudget
  end
end
