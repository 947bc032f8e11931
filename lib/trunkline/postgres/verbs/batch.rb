# frozen_string_literal: true

module Trunkline
  module Postgres
    # What the block of a batch is given, to say what is to be asked.
    #
    # @see Batching#batch
    class Batch
      # @param statements [Hash{String => Statement}] of the asker
      def initialize(statements) # :nodoc:
        @statements = statements
        @calls = []
      end

      # Adds a statement. It is sent when the block has come to its end.
      #
      # @param sql [String]
      # @param parameters as for {Querying#query}
      # @return [Batch]
      # @raise [SharedStateError, ArgumentError, TypeError, EncodingError] the statement cannot be sent; see {Querying#query}
      def query(sql, *parameters)
        @calls.push(NamedParameters.resolve(@statements, @statements[sql], parameters))
        self
      rescue NoMethodError # of an object that has no hash, in the place of the SQL
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
