# frozen_string_literal: true

require_relative "../trunk/lock"
require_relative "commit_group"

module Trunkline
  module Postgres
    # Writes of many callers that share their commits. There are never more groups on their way than connections; who comes meanwhile
    # joins the next one. So it grows with the load, and nobody waits where there is none.
    class GroupCommit # :nodoc:
      WRITE = %r{\A(?:\s|--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)*+(?:INSERT|UPDATE|DELETE|MERGE)\b}im
      private_constant :WRITE

      # @param pool [Pool]
      # @param most [Integer] groups on their way at once
      def initialize(pool, most)
        @pool = pool
        @most = most
        @lock = Lock.new
        begin_anew
      end

      # @return [Boolean] whether it writes
      def write?(request) = !request.statement.nil? && WRITE.match?(request.statement.sql)

      # Sends the request with others', or alone when it is one that must, and waits for its answer.
      def perform(request)
        return @pool.perform(request) unless sociable?(request)

        Waiting.undisturbed(request.world) do
          group = enter(request)
          begin
            go_along(group, request) until request.done? || request.late?
          ensure
            leave(group, request)
          end
        end
      end

      private

      # Settings would hold for those behind it too.
      def sociable?(request) = !request.solo? && request.preamble.nil? && request.statement&.verdict == :shareable

      def begin_anew
        @generation = Trunkline.process_generation
        @queue = []
        @underway = 0
      end

      def enter(request)
        @lock.synchronize do
          begin_anew unless @generation == Trunkline.process_generation
          next @queue.last if @queue.last&.join(request)

          @queue.push(CommitGroup.new.tap { |group| group.join(request) }).last
        end
      end

      def go_along(group, request)
        return rest(request) { group.led? && !request.done? } unless @lock.synchronize { group.lead?(request) }
        return rest(request) { !turn?(group) } unless group.departed? || depart?(group)

        land(group) if group.travel(@pool, request)
      end

      def depart?(group)
        @lock.synchronize do
          next false unless turn?(group)

          @queue.shift
          @underway += 1
          group.depart
        end
      end

      def turn?(group) = @queue.first.equal?(group) && @underway < @most

      # What the block says may change until the caller is to be seen sleeping.
      def rest(request)
        request.park
        yield ? Waiting.park(request, request.deadline) : Waiting.unpark(request)
      end

      def leave(group, request)
        request.give_up(GivenUp.new(request.late? ? :deadline : :cancel, group.departed?).freeze) unless request.done?
        land(group) if @lock.synchronize { group.leave(request) }
      end

      def land(group)
        following = @lock.synchronize do
          next unless group.land

          group.departed? ? @underway -= 1 : @queue.delete(group)
          @queue.first
        end
        following&.call
      end
    end

    # A client that commits all its writes so.
    module GroupCommitting # :nodoc:
      def perform(request) = @group_commit.write?(request) ? commit_together(request) : super
    end
    private_constant :GroupCommit, :GroupCommitting
  end
end
