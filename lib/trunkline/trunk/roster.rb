# frozen_string_literal: true

module Trunkline
  # The trunks of a pool: shared by all, pinned to a caller, or spare, which means kept for the next caller who pins.
  # Whoever uses it holds its owner's lock.
  class Roster # :nodoc:
    # The trunks that are shared, and their crews in the same order; frozen.
    attr_reader :trunks, :crews

    # @param connections [Integer] the most that are shared
    # @param most [Integer] the most in all
    def initialize(connections:, most:)
      @connections = connections
      @most = most
      share_only([])
      @spares = []
      @pinned = []
      @opening = 0
      @opening_to_share = 0
    end

    def all = [*trunks, *@spares, *@pinned]
    def size = trunks.size + @spares.size + @pinned.size + @opening

    # May another connection be opened at all?
    def room? = size < @most

    # May another connection be opened that all share?
    def room_to_share? = trunks.size + @opening_to_share < @connections && room?

    def nothing_open? = trunks.empty? && @spares.empty? && @pinned.empty? && @opening.zero?

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
    def any_to_take? = !@spares.empty? || (trunks.size > 1 && trunks.any?(&:idle?))

    # Has a place among those shared become free, with a trunk to fill it?
    def spare_to_share? = trunks.size < @connections && @spares.any?

    # @return [Trunk] the spare one that all share from now on
    def share_spare
      @spares.pop.tap { |trunk| share(trunk.tap { trunk.crew.release }) }
    end

    # @return [Boolean] whether the trunk was pinned
    def give_back(trunk)
      return false unless @pinned.delete(trunk)

      trunks.size < @connections ? share(trunk.tap { trunk.crew.release }) : @spares.push(trunk)
      true
    end

    def remove(trunk)
      share_only(trunks - [trunk])
      @spares.delete(trunk)
      @pinned.delete(trunk)
    end

    def counts = { shared: trunks.size, pinned: @pinned.size, spare: @spares.size, opening: @opening }

    private

    def share(trunk) = share_only([*trunks, trunk])

    def share_only(trunks)
      @trunks = trunks.freeze
      @crews = trunks.map(&:crew).freeze
    end

    def pin(trunk)
      trunk.reserve
      @pinned.push(trunk)
    end

    def take_shared
      return if trunks.size < 2

      trunk = trunks.find { |candidate| candidate.idle? && candidate.reserve } or return
      share_only(trunks - [trunk])
      trunk
    end
  end
  private_constant :Roster
end
