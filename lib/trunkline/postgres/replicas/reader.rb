# frozen_string_literal: true

require_relative "../verbs/querying"
require_relative "../verbs/streaming"

module Trunkline
  module Postgres
    # The replicas of a client, for reads: what {Client#replica} returns. Each read goes to the replica from which its answer is expected first, and is
    # sent again, to another one, when that is lost: it may be carried out twice. Costs little to make, and may be kept.
    class Reader
      include Querying
      include Streaming

      # @param executor [ReaderExecutor]
      # @param statements [Hash{String => Statement}] of the client
      # @param result_class [Class] of the client
      def initialize(executor, statements, result_class) # :nodoc:
        @executor = executor
        @statements = statements
        @result_class = result_class
      end

      # Runs the block in a transaction on one replica, or on the primary where none suits, read-only: all its reads see what one server has. With
      # `after:` or `max_lag:` each sees what was committed before it begins, as READ COMMITTED does.
      #
      # @param options [Hash] as for {Client#transaction}, without read_only
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned
      # @raise [ArgumentError] with `after:` or `max_lag:`, another isolation is asked for: its snapshot would be older than what was compared
      # @raise [Error] as {Client#transaction}
      def transaction(isolation: nil, **options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction({ **options, isolation: isolation }, block) { |transaction| yield transaction.object }
      end

      # @return [String] the server, and what its reads ask of a replica
      def inspect = "#<#{self.class} #{@executor.responses.server} #{@executor.guard.inspect}>"
    end
  end
end
