# frozen_string_literal: true

module Trunkline
  # The trunks of a pool: shared by all, pinned to a caller, or spare, which means kept for the next caller who pins.
  # Whoever uses it holds its owner's lock, but for reading `shared`, which is replaced and never changed.
  class Roster # :nodoc:
    # @return [Array<Trunk>] frozen
    attr_reader :shared

    # @param connections [Integer] the most that are shared
    # @param most [Integer] the most in all
    def initialize(connections:, most:)
      @connections = connections
      @most = most
      @shared = [].freeze
      @spares = []
      @pinned = []
      @opening = 0
      @opening_to_share = 0
    end

    def all = [*@shared, *@spares, *@pinned]
    def size = @shared.size + @spares.size + @pinned.size + @opening

    # May another connection be opened at all?
    def room? = size < @most

    # May another connection be opened that all share?
    def room_to_share? = @shared.size + @opening_to_share < @connections && room?

    def nothing_open? = @shared.empty? && @spares.empty? && @pinned.empty? && @opening.zero?

    def opening(alone:)
      @opening += 1
      @opening_to_share += 1 unless alone
    end

    def opened(trunk, alone:)
      not_opened(alone: alone)
      alone ? pin(trunk) : share(trunk)
    end

    def not_opened(alone:)
      @opening -= 1
      @opening_to_share -= 1 unless alone
    end

    # A trunk for a caller of its own, without opening one. Never the last one that is shared.
    #
    # @return [Trunk, nil]
    def take
      trunk = @spares.pop || take_shared or return
      @pinned.push(trunk)
      trunk
    end

    # Can `take` give one?
    def any_to_take? = !@spares.empty? || (@shared.size > 1 && @shared.any? { |trunk| idle?(trunk) })

    # @return [Boolean] whether the trunk was pinned
    def give_back(trunk)
      return false unless @pinned.delete(trunk)

      @shared.size < @connections ? share(trunk.tap(&:release)) : @spares.push(trunk)
      true
    end

    def remove(trunk)
      @shared = (@shared - [trunk]).freeze
      @spares.delete(trunk)
      @pinned.delete(trunk)
    end

    def counts = { shared: @shared.size, pinned: @pinned.size, spare: @spares.size, opening: @opening }

    private

    def share(trunk) = @shared = [*@shared, trunk].freeze

    def pin(trunk)
      trunk.reserve
      @pinned.push(trunk)
    end

    def take_shared
      return if @shared.size < 2

      trunk = @shared.find { |candidate| idle?(candidate) && candidate.reserve } or return
      @shared = (@shared - [trunk]).freeze
      trunk
    end

    def idle?(trunk) = trunk.aboard.zero? && trunk.in_flight.zero?
  end
  private_constant :Roster
end
