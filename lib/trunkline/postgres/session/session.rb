# frozen_string_literal: true

require_relative "../../trunk/main_ractor"
require_relative "../copy/copying"
require_relative "../verbs/querying"
require_relative "../verbs/streaming"
require_relative "transaction"

module Trunkline
  module Postgres
    # A server session of one's own, for as long as the block runs that it was made for: settings, temporary tables and
    # transactions stay on it, and are gone when it ends. It takes a connection when it is first asked something.
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

      # Runs several statements, separated by semicolons, without parameters: as one transaction, unless there are
      # transaction commands among them.
      #
      # @param sql [String]
      # @return [Array<Result>] one for each statement
      # @raise [Error] as {#query}
      def execute_script(sql) = @executor.execute_script(sql)

      # Runs the block in a transaction, as {Client#transaction} does; within a transaction, in a savepoint.
      #
      # @yieldparam transaction [Transaction]
      # @return [Object, nil] what the block returned; nil after {Rollback} and {Transaction#rollback}
      # @raise [Error] as {Client#transaction}
      def transaction(**options, &block)
        raise ArgumentError, "transaction takes a block: transaction { |tx| ... }" unless block

        @executor.transaction(options) { |transaction| yield transaction.object }
      end

      # Begins a COPY, in the bytes of its format: for adapters of other libraries. While it goes on, nothing else is asked here, and
      # its caller ends it with {Copy#finish} or {Copy#abort}.
      #
      # @param sql [String] COPY ... FROM STDIN or TO STDOUT
      # @param deadline [Numeric, nil] seconds for all of it
      # @return [Copy]
      # @raise [ArgumentError] the SQL is none
      # @raise [Error] as {#query}
      def copy(sql, deadline: nil)
        @executor.begin_copy(CopySource.new(@executor.statements[Statements.text(sql)], @executor.responses), deadline)
      end

      # Waits for a notification, where this session listens: after `LISTEN`. Those that have come to it before are there too.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Notification, nil] nil: none has come in time
      # @raise [ConnectionError] the connection was lost
      # @raise [Error] as {#query}
      # @see Listening#listen
      def wait_for_notification(timeout = nil)
        @lease.notifications.take(timeout)
      end

      # @return [Boolean] whether the transaction that is open has failed: it can only be rolled back
      def failed? = @lease.status == "E"

      # @return [String] the server, and whether a transaction is open
      def inspect
        "#<#{self.class} #{@lease.server}#{" ended" if @executor.ended?}#{" in a transaction" if @executor.within_block?}>"
      end
    end
  end
end
