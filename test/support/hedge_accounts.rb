# frozen_string_literal: true

module Trunkline
  # What a client has counted of its hedged reads, and what it must be when no read is under way.
  class HedgeAccounts
    # Counts the callers of each host that were chosen for and have not left.
    module Callers
      attr_reader :waiting

      def self.extended(choice) = choice.instance_variable_set(:@waiting, Hash.new(0))

      def choose(...) = super.tap { |number| @waiting[number] += 1 if number }

      def left(number, period)
        @waiting[number] -= 1
        super
      end
    end

    # Counts the tokens that were taken and not given back.
    module Tokens
      attr_reader :gone

      def self.extended(budget) = budget.instance_variable_set(:@gone, 0)

      def take = super.tap { |taken| @gone += 1 if taken }

      def give_back
        @gone -= 1
        super
      end
    end
    private_constant :Callers, :Tokens

    # @param set [Postgres::ReplicaSet]
    def initialize(set)
      @set = set
      @choice = set.instance_variable_get(:@choice).extend(Callers)
      @budget = set.instance_variable_get(:@hedging).instance_variable_get(:@budget).extend(Tokens)
      @before = sent
    end

    # @return [Hash{Integer => Integer}] callers that still count as waiting, by host; none when no read is under way
    def waiting = @choice.waiting.reject { |_, count| count.zero? }

    # @return [Integer] tokens that were spent without a second read
    def lost = @budget.gone - (sent - @before)

    private

    def sent = @set.stats.sum { |replica| replica[:hedged] }
  end
end
