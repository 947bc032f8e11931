# frozen_string_literal: true

require_relative "reader_executor"

module Trunkline
  module Postgres
    # Sends the reads of adapters, see {AdapterInterface}: the guard is determined anew for each read.
    class AdapterReaderExecutor < ReaderExecutor # :nodoc:
      # @param options [Hash] of {ReaderExecutor#initialize}
      # @yieldreturn [String, nil] the position that the caller's reads must see now
      def initialize(client, set, sessions, **options, &position)
        @position = position
        @unguarded = ReadGuard.new
        @latest = [nil, @unguarded].freeze
        super(client, set, @unguarded, sessions, **options)
      end

      # @return [ReadGuard]
      def guard
        text = @position.call
        return @unguarded if text.nil?

        known, guard = @latest # threads replace the pair as a whole
        return guard if known == text

        guard = ReadGuard.new(after: text)
        @latest = [text, guard].freeze
        guard
      end

      # A transaction runs on a replica, or on the primary if the caller's reads must see a position: a session has no guard. Each has another lease, as
      # it may be another replica's.
      #
      # @return [SessionLease] on a replica that has served a read
      def lease_at(location, holder, _ended) = sessions_for_own.lease_at(location, holder)

      private

      def sessions_for_own
        route = Route.new
        while !guard.sql && (replica = @set.choose(guard, route))
          @set.leave_chosen(route)
          return replica.sessions if replica.standby?

          route.pass(replica.number)
        end
        @sessions
      ensure
        @set.leave_chosen(route) if route
      end
    end
    private_constant :AdapterReaderExecutor
  end
end
