# frozen_string_literal: true

require_relative "../../trunk/undumpable"
require_relative "other_verbs"

module Trunkline
  module Postgres
    # The argument of a batch's block, which collects its statements.
    #
    # @see Batching#batch
    class Batch
      include OtherBatchCalls
      include Undumpable

      # @param statements [Hash{String => Statement}] of the object that has `batch`
      def initialize(statements) # :nodoc:
        @statements = statements
        @calls = []
      end

      # Adds a statement. It is sent when the block has ended.
      #
      # @param sql [String]
      # @param parameters as for {Querying#query}
      # @return [Batch]
      # @raise [SharedStateError, ArgumentError, TypeError, EncodingError] the statement cannot be sent; see {Querying#query}
      def query(sql, *parameters)
        @calls.push(NamedParameters.resolve(@statements, @statements[sql], parameters))
        self
      rescue NoMethodError # the SQL was an object without a method `hash`
        Statements.text(sql) && raise
      end

      # @return [Integer] number of statements
      def size = @calls.size

      # @return [String]
      def inspect = "#<#{self.class} of #{size}>"

      attr_reader :calls # :nodoc:
    end
  end
end
