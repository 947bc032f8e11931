# frozen_string_literal: true

module Trunkline
  # The trunks of a pool: shared by all, pinned to a caller, spare, which means kept for the next caller who pins, draining,
  # which means that they take nothing new until they are pinned, or retiring: they end when they are through.
  # Whoever uses it holds its owner's lock.
  class Roster # :nodoc:
    # The trunks that are shared, and their crews in the same order; frozen.
    attr_reader :trunks, :crews

    # The trunks that are somebody's own.
    attr_reader :pinned

    # @param connections [Integer] the most that are shared
    # @param most [Integer] the most in all
    def initialize(connections:, most:)
      @connections = connections
      @most = most
      share_only([])
      @spares = []
      @pinned = []
      @retiring = []
      @draining = nil
      @opening = 0
      @opening_to_share = 0
    end

    def all = [*trunks, *@draining, *@spares, *@pinned, *@retiring]
    def size = all.size + @opening

    # May another connection be opened at all?
    def room? = size < @most

    # May another connection be opened for a caller of its own? There must be room for one that all share.
    def room_alone? = room? && (size < @most - 1 || trunks.size + @opening_to_share > 0)

    # May another connection be opened that all share?
    def room_to_share? = trunks.size + @opening_to_share < @connections && room?

    def opening? = @opening.positive?
    def nothing_open? = size.zero?

    # Is there a shared trunk with room for a request of this world, or which nobody reads, so that the next caller has to?
    def any_for?(world) = trunks.any? { |trunk| trunk.takes?(world) || trunk.full?(world) }

    # A shared trunk without room, which nobody reads.
    #
    # @return [Trunk, nil]
    def full_for(world) = trunks.find { |trunk| trunk.full?(world) }

    # How many requests of this world the shared trunks have room for.
    #
    # @param most [Integer] that one has room for
    def room_for(world, most) = trunks.sum { |trunk| trunk.takes?(world) ? most - trunk.codec.in_flight : 0 }

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
      trunk = @spares.pop || take_drained || take_shared or return
      @pinned.push(trunk)
      trunk
    end

    # Can `take` give one?
    def any_to_take? = !@spares.empty? || drained? || (trunks.size > 1 && trunks.any?(&:idle?))

    # Where callers who share keep every trunk busy, and nobody has one that he will give back, who wants one of his own would
    # wait for ever: one trunk takes nothing new until it is his.
    #
    # @param wanted [Boolean] whether somebody wants one of his own
    def drain(wanted)
      if wanted && @pinned.empty? && @spares.empty? && !room_alone? && !opening?
        @draining ||= withdraw(trunks.min_by(&:aboard)) if trunks.size > 1
      elsif @draining
        share(@draining)
        @draining = nil
      end
    end

    # Has a place among those shared become free, with a trunk to fill it?
    def spare_to_share? = trunks.size + @opening_to_share < @connections && !@spares.empty?

    # @return [Trunk] the spare one that all share from now on
    def share_spare = @spares.pop.tap { |trunk| release(trunk) }

    # @param wanted [Integer] how many wait for one of their own
    # @return [Boolean] whether the trunk was pinned
    def give_back(trunk, wanted:)
      return false unless @pinned.delete(trunk)

      needed = trunks.empty? || (wanted <= @spares.size && trunks.size < @connections)
      needed ? release(trunk) : @spares.push(trunk)
      true
    end

    # Takes out a trunk that has lived for long enough, and that nobody has pinned.
    #
    # @return [Trunk, nil]
    def retire
      trunk = (trunks + @spares).find { |candidate| candidate.crew.expired? } or return
      remove(trunk)
      @retiring.push(trunk)
      trunk
    end

    def remove(trunk)
      withdraw(trunk)
      @draining = nil if @draining.equal?(trunk)
      [@spares, @pinned, @retiring].each { |others| others.delete(trunk) }
    end

    # @return [Symbol]
    def state_of(trunk)
      return :pinned if @pinned.include?(trunk)
      return :spare if @spares.include?(trunk)

      trunks.include?(trunk) || @draining.equal?(trunk) ? :shared : :retiring
    end

    def counts = { shared: trunks.size + [*@draining].size, pinned: @pinned.size, spare: @spares.size, opening: @opening }

    private

    def release(trunk)
      trunk.release
      share(trunk)
    end

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

      trunk = trunks.find { |candidate| candidate.idle? && candidate.reserve }
      trunk && withdraw(trunk)
    end

    # Nobody is aboard, and no cancel is under way there: what is in flight all the same is for callers who have gone.
    def drained? = !@draining.nil? && @draining.aboard.zero? && @draining.admits?(nil)

    def take_drained
      return unless @draining&.reserve

      trunk, @draining = @draining, nil
      trunk
    end

    def withdraw(trunk)
      share_only(trunks - [trunk])
      trunk
    end
  end
  private_constant :Roster
end
