# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The result of load_async and the async_ methods: a query that is sent as soon as it is made. No thread waits for it; the caller that uses the
    # result does, and any caller that reads the same connection meanwhile reads its answer.
    class SentQuery < ::ActiveRecord::FutureResult::SelectAll # :nodoc:
      READ_LIMIT = 0.001 # seconds that reading what has arrived waits for more: a bound, not tuned
      private_constant :READ_LIMIT

      alias unread? pending?
      private :unread?

      # @param adapter [Adapter] whose connection sends it
      # @param session [ActiveRecord::AsynchronousQueriesTracker::Session]
      # @return [SentQuery, nil] nil: it cannot be sent ahead
      def send_by(adapter, session)
        @session = session
        sql, @future = adapter.send_select(*@args, **@kwargs)
        @args = [sql, *@args.drop(1)]
        self if @future
      rescue ::ActiveRecord::ActiveRecordError => error
        @error = error
        @pending = false
        self
      end

      # Reads the answer if it has arrived, as no other caller may do so.
      def pending? = super && !@future&.wait(READ_LIMIT)

      private

      def execute_or_wait
        return unless unread?

        start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
        @event_buffer = EventBuffer.new(self, @instrumenter)
        @pool.with_connection do |connection|
          recorded(connection) { execute_query(connection, async: true) }
        end
        @lock_wait = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond) - start
      end

      # Events are published later. ActiveRecord 7.2 and 8.0 record them with the connection, later versions with the fiber or thread.
      def recorded(connection, &block)
        return connection.with_instrumenter(@event_buffer, &block) if connection.respond_to?(:with_instrumenter)

        state = ActiveSupport::IsolatedExecutionState
        told = state[:active_record_instrumenter]
        state[:active_record_instrumenter] = @event_buffer
        begin
          yield
        ensure
          state[:active_record_instrumenter] = told
        end
      end

      def exec_query(connection, *arguments, async:, **options)
        return super unless @future

        connection.receive_select(@future, *arguments)
      rescue ::RangeError
        ::ActiveRecord::Result.empty
      end
    end
    private_constant :SentQuery
  end
end
