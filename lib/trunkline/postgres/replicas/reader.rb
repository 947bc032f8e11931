# frozen_string_literal: true

require_relative "../verbs/querying"
require_relative "../verbs/streaming"

module Trunkline
  module Postgres
    # The replicas of a client, for reads: {Client#replica} returns it. Each read goes to the replica from which its answer is expected first, and is
    # sent again to another one when that is lost: it may be executed twice. It costs little to make, and may be kept.
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

      # Runs the block in a read-only transaction on one replica, or on the primary if no replica fulfils the conditions: all its reads see one
      # server's data. With `after:` or `max_lag:` each read sees what was committed before it begins, as with READ COMMITTED.
      #
      # @param options [Hash] as for {Client#transaction}, without read_only
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned
      # @raise [ArgumentError] another isolation with `after:` or `max_lag:`: its snapshot would be older than what was compared
      # @raise [Error] as {Client#transaction}
      def transaction(isolation: nil, **options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction({ **options, isolation: isolation }, block) { |transaction| yield transaction.object }
      end

      # @return [String] the server, and the conditions for replicas
      def inspect = "#<#{self.class} #{@executor.responses.server} #{@executor.guard.inspect}>"
    end
  end
end
