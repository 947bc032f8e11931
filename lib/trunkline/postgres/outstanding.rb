# frozen_string_literal: true

require_relative "../trunk/lock"

module Trunkline
  module Postgres
    # The futures of a client that each fiber has without an answer, oldest first. No fiber has more than so many: one that asks for the
    # next first waits for its oldest, and reads meanwhile what no other caller reads. A future leaves the list with its answer, which
    # is kept by the future alone.
    class Outstanding # :nodoc:
      # After so many the other fibers have a turn, though nothing makes the caller wait.
      TURN_AFTER = 64
      # Lists beyond which those are looked for that are not needed any more; then again when there are twice as many as were left.
      FEW = 8
      private_constant :TURN_AFTER, :FEW

      # @param most [Integer] futures of one fiber
      def initialize(most)
        @most = most
        @asked = 0
        @lists = {} # by the fibers' object_ids: a fiber that has ended is not kept
        @many = FEW
        @lock = Lock.new
      end

      # Waits until the calling fiber may have one more.
      def make_room
        Waiting.give_turn(Fiber.current_scheduler) if ((@asked += 1) % TURN_AFTER).zero?
        list = @lists[Fiber.current.object_id] or return
        list.shift while list.first&.empty?
        return if list.size < @most

        list.reject!(&:empty?)
        list.shift.first&.wait until list.size < @most
      end

      # @param future [Future] of the calling fiber
      # @param request [Request] its own
      # @return [Future]
      def add(future, request)
        list = @lists[Fiber.current.object_id] || begin_list
        list.push(request.list([future]))
        future
      end

      private

      def begin_list
        @lock.synchronize do
          sweep if @lists.size >= @many
          @lists[Fiber.current.object_id] = []
        end
      end

      # Another fiber may be about to add to a list that is empty now: then that one is not counted.
      def sweep
        @lists.delete_if { |_, list| list.all?(&:empty?) }
        @many = [FEW, 2 * @lists.size].max
      end
    end
    private_constant :Outstanding
  end
end
