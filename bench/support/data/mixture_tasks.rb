# frozen_string_literal: true

module Trunkline
  module Bench
    # The queries of one row of the table, in order: a long one, then its short ones, and again.
    class MixtureTasks
      include Enumerable

      STRIDE = 7919 # prime
      private_constant :STRIDE

      # @param long [Integer] number of long queries
      # @param multiplier [Integer] short queries for each of them
      # @param parameter [Numeric] of the long query
      # @param users [Integer] ids that short queries may ask for
      def initialize(long:, multiplier:, long_sql:, parameter:, short_sql:, users:)
        @long = long
        @multiplier = multiplier
        @long_query = [long_sql, parameter]
        @short_sql = short_sql
        @users = users
      end

      # @yieldparam query [Array(String, Numeric)] SQL and its parameter
      def each
        @long.times do |round|
          yield @long_query
          @multiplier.times { |number| yield [@short_sql, id(round, number)] }
        end
      end

      # @return [Integer] a number for an answer, so that both sides' answers can be compared
      def worth(value) = value.to_s.sum

      private

      def id(round, number) = (((round * @multiplier) + number) * STRIDE % @users) + 1
    end
  end
end
