# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # Callers who wait for a trunk, in order. Whoever uses a line holds its owner's lock.
  class WaitingLine # :nodoc:
    # A caller's place in line.
    class Place
      # What the caller waits with: its state is his.
      attr_reader :request

      # @return [Exception, nil] why waiting has become pointless
      attr_accessor :failure

      # @return [Float, nil] when the caller looks again without having been called, on the clock of Waiting.now
      attr_accessor :looks_again_at

      # @param alone [Boolean] whether the caller wants a trunk of his own
      def initialize(request, alone:)
        @request = request
        @alone = alone
        @called = false
      end

      # @return [Float, nil] when the caller stops waiting of its own, on the clock of Waiting.now
      def wakes_at = [looks_again_at, @request.deadline].compact.min

      def alone? = @alone
      def world = @request.world

      # Has he been at the front already, and been outrun since?
      def called? = @called

      def called
        @called = true
        self
      end

      # A fiber that blocks the thread of its scheduler: whatever the others there hold, they cannot finish it now.
      def blocks_its_world? = world.nil? && !Fiber.scheduler.nil?
    end

    def initialize
      @places = []
    end

    def empty? = @places.empty?
    def first = @places.first

    def join(place)
      place.request.park
      place.called? ? @places.unshift(place) : @places.push(place)
    end

    # @return [Place, nil] nil: it is not in line any more
    def leave(place) = @places.delete(place)

    # Takes the first out, and with it those who can go with it: who share, and are of its world.
    #
    # @return [Array<Place>] who was asleep, and is owed a wake-up
    def call_first
      head = first
      call { |place| place.equal?(head) || (!head.alone? && !place.alone? && place.world.equal?(head.world)) }
    end

    # Takes everybody out.
    #
    # @param failure [Exception, nil] why waiting has become pointless
    # @return [Array<Place>] who was asleep, and is owed a wake-up
    def call_all(failure = nil)
      @places.each { |place| place.failure = failure }
      call { true }
    end

    private

    def call(&block)
      called, @places = @places.partition(&block)
      called.select { |place| place.called.request.wake_up }
    end
  end
  private_constant :WaitingLine
end
