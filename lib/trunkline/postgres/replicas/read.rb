# frozen_string_literal: true

require_relative "route"

module Trunkline
  module Postgres
    # A request that is sent to one replica after the other, with the guard that precedes its statement at each of them.
    class Read # :nodoc:
      # @return [Request]
      attr_reader :request

      # @return [ReadGuard]
      attr_reader :guard

      # @return [Route]
      attr_reader :route

      # @param request [Request] a query, a batch, or a Describe
      # @param guard [ReadGuard]
      def initialize(request, guard)
        @request = request
        @guard = guard
        @units = request.members && !request.atomic? ? request.members : [request]
        @route = request.route || Route.new
        @settings = @units.map(&:preamble)
        @units.each { |unit| mark(unit) }
        request.route = @route
      end

      # @param replica [Replica] to which it will be sent
      # @return [void]
      def prepare_for(replica)
        go_before(nil, @guard.check)
        each_query { |query| query.statement.services(replica.count) && query.serve(replica.number) }
      end

      # @param cluster [ClusterTimeline] of the client
      # @return [Boolean] false: it cannot be prevented from writing there
      def prepare_for_primary(cluster)
        return false if each_query.any? { |query| query.statement.classification == :alone }

        go_before(@guard.on_primary(cluster), nil)
        each_query { |query| query.serve(nil) }
        true
      end

      # @return [Read] the same query, with a request of its own
      def copy
        copied = @request.again
        copied.preamble = @settings.first if @settings.first
        Read.new(copied, @guard)
      end

      # @return [Boolean] whether all of it was answered
      def answered? = @request.members ? @units.all?(&:answered?) : @request.answered?

      # @return [Boolean] whether a server that does not match the guard has refused it
      def refused? = @units.any?(&:refused?)

      private

      # Reads may be executed twice.
      def mark(unit)
        unit.route = @route
        unit.idempotent = true
      end

      def each_query(&block) = (@request.members || [@request]).select(&:statement).each(&block)

      def go_before(sql, check)
        @units.each_with_index do |unit, at|
          unit.preamble = [*sql, *@settings[at]] if sql || @settings[at] || unit.preamble
          unit.guard = check
        end
      end
    end
    private_constant :Read
  end
end
