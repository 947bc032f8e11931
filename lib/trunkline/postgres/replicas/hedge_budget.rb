# frozen_string_literal: true

require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # How many reads of a client may be sent to a second replica: one of READS. A token bucket that is filled by reads, not by time: what is saved up
    # is enough for a replica that stalls with many reads in flight.
    class HedgeBudget # :nodoc:
      # Reads that fill one token: 2 % of them.
      READS = 50
      # The most tokens, filled by 5,000 reads: a hundred callers may wait for a replica when it stalls. It is a bound, not measured.
      MOST = 100
      private_constant :READS, :MOST

      def initialize
        @lock = Lock.new
        @reads = @spent = 0
      end

      # Counts a read. If two threads call this at once, one may not count.
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
