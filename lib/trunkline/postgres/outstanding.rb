# frozen_string_literal: true

module Trunkline
  module Postgres
    # The futures that each caller has without an answer, oldest first. Nobody has more than so many: who asks for the next one
    # waits for his oldest, and reads meanwhile what nobody else reads.
    class Outstanding # :nodoc:
      # After so many the other fibers have a turn, though nothing makes the caller wait.
      TURN_AFTER = 64
      private_constant :TURN_AFTER

      # @param most [Integer] futures of one caller
      def initialize(most)
        @most = most
        @asked = 0
        @name = :"trunkline_futures_#{object_id}"
      end

      # Waits until the calling fiber or thread may have one more.
      def make_room
        Waiting.give_turn(Fiber.current_scheduler) if ((@asked += 1) % TURN_AFTER).zero?
        futures = Thread.current[@name] or return
        forget_done(futures)
        futures.shift.wait until futures.size < @most
      end

      # @param future [Future] of the calling fiber or thread
      # @return [Future]
      def add(future)
        (Thread.current[@name] ||= []).push(future)
        future
      end

      # The caller has got an answer: what is answered need not be remembered, with its rows.
      def settle
        futures = Thread.current[@name]
        forget_done(futures) if futures
      end

      private

      def forget_done(futures)
        futures.shift while futures.first&.done?
      end
    end
    private_constant :Outstanding
  end
end
