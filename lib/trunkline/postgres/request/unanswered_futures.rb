# frozen_string_literal: true

require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # The unanswered futures of each fiber of a client, oldest first. Their number is limited: a fiber that begins another one first waits for its
    # oldest, and reads meanwhile what no other caller reads. An answered future leaves the list, and alone keeps its answer.
    class UnansweredFutures # :nodoc:
      # After so many futures, other fibers get a turn, even if the caller does not have to wait: beside 10,000 of one caller, another's single query
      # takes 0.3 to 2.5 ms at most, where it waited for all of their answers.
      TURN_AFTER = 64
      # Number of lists beyond which unused ones are removed; then again when there are twice as many as were left. With 64, threads that end left 0.39
      # slots for each future.
      FEW = 8
      private_constant :TURN_AFTER, :FEW

      # @param most [Integer] futures of one fiber
      # @param most_bytes [Integer] of the client's answers whose values were not read
      # @param server [String] label for errors
      def initialize(most, most_bytes, server)
        @most = most
        @most_bytes = most_bytes
        @server = server
        @unclaimed = UnclaimedAnswers.new
        @submitted = 0
        @lists = {} # keyed by the fibers' object_ids, so that ended fibers are not kept alive
        @many = FEW
        @lock = Lock.new
      end

      # Waits until the calling fiber may have one more.
      #
      # @param request [Request] its own, not sent yet: the rows of its answer are counted
      # @raise [Overloaded] too many bytes of answers were not read
      def make_room(request)
        refuse if @unclaimed.bytes > @most_bytes
        request.unclaimed(@unclaimed)
        Waiting.give_turn(Fiber.current_scheduler) if ((@submitted += 1) % TURN_AFTER).zero?
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
        list.push(request.clear_when_done([future]))
        future
      end

      private

      # Collected futures that the program has dropped do not count.
      def refuse
        GC.start
        return if @unclaimed.bytes <= @most_bytes

        raise Overloaded.new("#{@unclaimed.bytes} bytes of answers are kept for futures whose values were not read, and max_future_bytes is " \
                             "#{@most_bytes}: read their values, or drop the futures, before the next async", server: @server)
      end

      def begin_list
        @lock.synchronize do
          sweep if @lists.size >= @many
          @lists[Fiber.current.object_id] = []
        end
      end

      # Another fiber may be about to add to an empty list: then that future is not counted.
      def sweep
        @lists.delete_if { |_, list| list.all?(&:empty?) }
        @many = [FEW, 2 * @lists.size].max
      end
    end
    private_constant :UnansweredFutures, :UnclaimedAnswers
  end
end
