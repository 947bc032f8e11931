# frozen_string_literal: true

require_relative "../../trunk/main_ractor"
require_relative "../copy/copying"
require_relative "../verbs/querying"
require_relative "../verbs/streaming"
require_relative "transaction"

module Trunkline
  module Postgres
    # A reserved server session, for the duration of a block: settings, temporary tables and transactions stay in it, and are reset when it ends. It
    # takes a connection at its first query.
    class Session
      include Querying
      include Copying
      include Streaming
      include MainRactor

      # @param executor [SessionExecutor]
      def initialize(executor, lease, statements, result_class) # :nodoc:
        stay_in_main_ractor
        @executor = executor
        @lease = lease
        @statements = statements
        @result_class = result_class
      end

      # Runs several statements, separated by semicolons, without parameters: as one transaction, unless they contain transaction commands.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      # @raise [ArgumentError] values were given
      def execute_script(sql, *unknown) = @executor.execute_script(sql, *unknown)

      # Runs the block in a transaction, as {Client#transaction} does; within a transaction, in a savepoint.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {Transaction#rollback}
      # @raise [Error] as {Client#transaction}
      def transaction(**options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction(options) { |transaction| yield transaction.object }
      end

      # Begins a COPY, as bytes of its format: for adapters of other libraries. Until its caller ends it with {Copy#finish} or {Copy#abort}, no other
      # query runs here.
      #
      # @param sql [String] COPY ... FROM STDIN or TO STDOUT
      # @param deadline [Numeric, nil] seconds for all of it
      # @return [Copy]
      # @raise [ArgumentError] the SQL is no such statement
      # @raise [Error] as {#query}
      def copy(sql, deadline: nil)
        @executor.begin_copy(CopySource.new(@executor.statements[Statements.text(sql)], @executor.responses), deadline)
      end

      # Waits for a notification, after `LISTEN` in this session. Notifications that have arrived before are returned first.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [Notification, nil] nil: none arrived in time
      # @raise [ConnectionError] the connection was lost
      # @raise [Error] as {#query}
      # @see Listening#listen
      def wait_for_notification(timeout = nil)
        @lease.notifications.take(timeout)
      end

      # @return [Boolean] whether the open transaction has failed: it can only be rolled back
      def failed? = @lease.status == "E"

      # @return [String] the server, and whether a transaction is open
      def inspect
        "#<#{self.class} #{@lease.server}#{" ended" if @executor.ended?}#{" in a transaction" if @executor.within_block?}>"
      end
    end
  end
end
