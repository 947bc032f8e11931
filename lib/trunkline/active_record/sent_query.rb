# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # What load_async and the async_ methods give: a query that is on its way as soon as it is made. No thread waits for it;
    # the caller that asks for the result does, and one that reads the same connection meanwhile takes it in.
    class SentQuery < ::ActiveRecord::FutureResult::SelectAll # :nodoc:
      LOOK = 0.001 # seconds that it takes at most to find out whether the answer has come
      private_constant :LOOK

      alias unread? pending?
      private :unread?

      # @param adapter [Adapter] whose connection it leaves by
      # @param session [ActiveRecord::AsynchronousQueriesTracker::Session]
      # @return [SentQuery, nil] nil: it cannot leave this way
      def send_by(adapter, session)
        @session = session
        @future = adapter.send_select(*@args, **@kwargs)
        self if @future
      rescue ::ActiveRecord::ActiveRecordError => error
        @error = error
        @pending = false
        self
      end

      # Takes in the answer if it has come: it may be that no other caller does.
      def pending? = super && !@future&.wait(LOOK)

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

      # Events are told later. ActiveRecord 7.2 and 8.0 keep what is told of them with the connection, later ones with the fiber or
      # thread.
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
