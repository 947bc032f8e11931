# frozen_string_literal: true

require_relative "../virtual_session/virtual_session"
require_relative "reader"

module Trunkline
  module Postgres
    # The replicas of a client, for hosts that have an idea of connections of their own: see {AdapterInterface}.
    class AdapterReader < Reader # :nodoc:
      # @param options [Hash] of {Reader#initialize}
      # @yieldreturn [String, nil] the position that the caller's reads are to see at this moment
      def initialize(client, set, sessions, **options, &position)
        @position = position
        @unguarded = ReadGuard.new
        @latest = [nil, @unguarded].freeze
        super(client, set, @unguarded, sessions, **options)
        @all = @known.table(@decoding)
      end

      # @return [Boolean]
      def closed? = @client.object.closed?

      private

      def guard
        text = @position.call
        return @unguarded if text.nil?

        known, guard = @latest # which threads replace as a whole
        return guard if known == text

        guard = ReadGuard.new(after: text)
        @latest = [text, guard].freeze
        guard
      end

      # A transaction is on a replica, or on the primary where the caller's reads are to see a position: a session takes no guard along.
      def virtual_session(location, result_class = @result_class, holder: Thread.current)
        observe(VirtualSession.new(Internals.new(self), @all, @responses, result_class) { sessions_for_own.lease_at(location, holder) })
      end

      # Of the replicas those that have served a read.
      def sessions_for_own
        route = Route.new
        while !guard.sql && (replica = @set.choose(guard, route))
          @set.pass_by(replica)
          return replica.sessions if replica.standby?

          route.pass(replica.number)
        end
        @sessions
      end

      def ask(sql, parameters, prepare: true)
        statement = prepare ? @all[sql] : passing(sql)
        result_of(statement, parameters, prepare) if statement.shareable?
      end

      def passing(sql) = @all.fetch(sql) { @known.passing(sql, @decoding) }
      def check_array_nulls(name) = @client.check_array_nulls(name)
      def answer_form(format, result_class) = @client.answer_form(format, result_class)
    end
    private_constant :AdapterReader
  end
end
