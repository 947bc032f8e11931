# frozen_string_literal: true

require_relative "route"

module Trunkline
  module Postgres
    # A request on its way to one replica after the other: what goes before its statement at each of them.
    class Read # :nodoc:
      # @return [Request]
      attr_reader :request

      # @return [ReadGuard]
      attr_reader :guard

      # @return [Route]
      attr_reader :route

      # @param request [Request] a query, a batch, or the question for a statement's types
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

      # @param replica [Replica] that it is sent to
      # @return [void]
      def prepare_for(replica)
        go_before(nil, @guard.check)
        each_query { |query| query.statement.services(replica.count) && query.serve(replica.number) }
      end

      # @param cluster [ClusterTimeline] what was seen of it
      # @return [Boolean] false: it cannot be kept from writing there
      def prepare_for_primary(cluster)
        return false if each_query.any? { |query| query.statement.classification == :alone }

        go_before(@guard.on_primary(cluster), nil)
        each_query { |query| query.serve(nil) }
        true
      end

      # @return [Read] the same question, of a query, with a request of its own
      def copy
        copied = @request.again
        copied.preamble = @settings.first if @settings.first
        Read.new(copied, @guard)
      end

      # @return [Boolean] whether all of it was answered
      def answered? = @request.members ? @units.all?(&:answered?) : @request.answered?

      # @return [Boolean] whether a server has refused it as it does not suit
      def refused? = @units.any?(&:refused?)

      private

      # Reads may be carried out twice.
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
