# frozen_string_literal: true

require_relative "idle_checks"
require_relative "quota"

module Trunkline
  # The trunks of a pool: shared by all, pinned to a caller, spare, which means kept for the next caller that pins, draining,
  # which means that they take nothing new until they are pinned, or retiring: they end when they are through.
  # Its owner's lock is held around each call.
  class Roster # :nodoc:
    # The trunks that are shared; frozen.
    attr_reader :trunks

    # Chooses among these.
    attr_reader :dispatcher

    attr_reader :idle_limit # [Float] seconds after which an idle trunk is taken out, as its server would end it

    # What others leave of what the server takes; nil: there are none that count.
    attr_reader :quota

    # How many are being opened to be shared.
    attr_reader :opening_to_share

    # @return [IdleChecks, nil] nil: idle ones are not checked
    attr_reader :idle_checks

    # @param connections [Integer] how many are shared, unless there is reason for more
    # @param most [Integer] the most in all
    # @param max_idle [Float] seconds after which those beyond `connections` are of no use
    # @param divided [Boolean] whether others have their part of what the server takes
    # @param check [#call, nil] see {IdleChecks}
    def initialize(connections:, most:, max_idle: Float::INFINITY, divided: false, check: nil)
      @connections = connections
      @most = @limit = most
      @quota = Quota.new(most) if divided
      @max_idle = max_idle
      @dispatcher = Dispatcher.new(connections, most, max_idle)
      @idle_checks = check && IdleChecks.new(self, check)
      @idle_limit = Float::INFINITY
      share_only([])
      @spares, @pinned, @retiring = [], [], []
      @draining = nil
      @opening = @opening_to_share = 0
    end

    # The trunks that are leased to one caller each. A copy: without the lock, others come and go while one looks through them.
    def pinned = @pinned.dup

    def all = [*trunks, *@draining, *@spares, *@pinned, *@retiring]
    def size = @trunks.size + (@draining ? 1 : 0) + @spares.size + @pinned.size + @retiring.size + @opening

    # Limits the connections to those there are: the server takes no more.
    def refuse_more
      @limit = size unless nothing_open?
    end

    # Limits them in all, as others have their part.
    def allow(most)
      @most = @limit = most
    end

    # Takes out what is beyond the limit, idle ones before others, of those that no caller has for its own. Where these are fewer, pinned ones count as
    # old, and end when they are given back. A first one, by which others know of this process, stays.
    #
    # @return [Array<Trunk>] that are to end when they are through
    def shed_surplus
      count = size - @retiring.size - @opening - @limit
      return [] unless @quota && count.positive?

      chosen = further(@spares + trunks.each_with_index.sort_by { |trunk, index| [trunk.idle? ? 0 : 1, -index] }.map(&:first)).first(count)
      further(@pinned).first(count - chosen.size).each(&:expire)
      retire_where { |trunk| chosen.include?(trunk) }
    end

    # Lifts that limit: the server may take more again.
    def expect_more = @limit = @most

    # @return [Boolean] whether there may be one connection only, which callers share, and have for their own, by turns
    def single? = @limit == 1

    # @return [String] how many connections there may be, and why not more
    def limit = "there may be #{@limit} (#{@limit < @most ? "the server takes no more" : "max_connections"})"

    # @return [Boolean] whether another connection may be opened at all
    def room? = size < @limit

    # @return [Boolean] whether another one may be opened for one caller's own use: there must be room for one that all share, or there may be one only
    def room_alone? = room? && (size < @limit - 1 || trunks.size + @opening_to_share > 0 || single?)

    # Tells the dispatcher whether it may ask for one more than there are; with what is being opened, as the only one will not stay that.
    #
    # @return [Boolean] whether another connection may be opened that all share, whatever load there is, and none is being opened
    def look_at_room
      total = size
      @dispatcher.may_grow = total - @spares.size < @limit - 1 || @opening_to_share.positive?
      @opening_to_share.zero? && @trunks.size < @connections && total < @limit
    end

    # @return [Boolean] whether another connection may be opened that all share, whatever load there is
    def room_to_share? = @trunks.size + @opening_to_share < @connections && size < @limit

    # @return [Boolean] whether another trunk could be shared, a spare one or a new one, if the opener lets one be opened
    def may_share_another? = !@spares.empty? || !@quota.nil? || size < @limit - 1 || room_to_share?

    # @return [Boolean] whether fewer are shared, or about to be, than may be
    def fewer_shared? = @trunks.size + @opening_to_share < @connections

    # @return [Boolean] whether one more trunk may be shared, a spare one or a new one. Room for one more is kept for callers that want one of their own.
    def room_to_grow? = size - @spares.size < @limit - 1

    def idle_limit=(seconds)
      @dispatcher.idle_limit = @idle_limit = seconds
    end

    def opening? = @opening.positive?
    def nothing_open? = size.zero?
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

    # A trunk for a caller of its own, without opening one. Never the last one that is shared, unless there may be one only.
    #
    # @return [Trunk, nil]
    def take
      trunk = @spares.pop || (@draining && take_drained) || take_shared or return
      @pinned.push(trunk)
      trunk
    end

    # Takes out the spare trunks that the block chooses; each is to be given back by {#give_back}.
    #
    # @return [Array<Trunk>]
    def take_spares(&chosen)
      taken, @spares = @spares.partition(&chosen)
      @pinned.concat(taken)
      taken
    end

    # @return [Boolean] whether {#take} can give one
    def any_to_take? = !@spares.empty? || drained? || (trunks.size > least_shared && trunks.any?(&:idle?))

    # Where callers that share keep every trunk busy, and none is pinned that would be given back, a caller that wants one of its own
    # would wait for ever: one trunk takes nothing new until it is that caller's. And so would what takes long, where none of its kind is on its way
    # and no more can be opened for it.
    #
    # @param wanted [Boolean] whether a caller wants one of its own
    # @param starving [Boolean] whether what takes long has waited for long enough
    def drain(wanted, starving = false)
      wanted &&= @pinned.empty? && @spares.empty? && !room_alone? && !opening?
      starving &&= @draining || (dispatcher.longs.zero? && !room_to_grow?)
      share_draining if @draining && (@draining.state.shut? || !(wanted || starving))
      begin_draining(wanted ? least_shared : 1) if @draining.nil? && (wanted || starving)
    end

    def draining? = !@draining.nil?

    # @return [Trunk, nil] the one that took nothing new, which is shared again: no caller is active any more
    def share_drained
      share_draining if drained?
    end

    # @return [Boolean] whether fewer trunks are shared than there should be, and a spare one can be
    def spare_to_share? = trunks.size + @opening_to_share < @connections && any_spare?

    def any_spare? = !@spares.empty?

    # @return [Trunk] the spare one that all share from now on
    def share_spare = @spares.pop.tap { |trunk| release(trunk) }

    # @param wanted [Integer] how many wait for one of their own
    # @return [Boolean] whether the trunk was pinned
    def check_in(trunk, wanted:)
      return false unless @pinned.delete(trunk)

      needed = @trunks.empty? || (wanted <= @spares.size && @trunks.size < @connections)
      needed ? release(trunk) : @spares.push(trunk)
      true
    end

    # Takes out a trunk that has lived for long enough, or that was not used for as long as that, and that is not pinned.
    #
    # @return [Trunk, nil]
    def retire
      trunk = @dispatcher.expired || @spares.find { |spare| expired?(spare) } || @dispatcher.superfluous || (superfluous_spare unless @spares.empty?) or return
      remove(trunk)
      @retiring.push(trunk).last
    end

    # Those that the block chooses take nothing new; the pinned ones are left to their callers, and count as old when they are given back.
    #
    # @return [Array<Trunk>] that are to end when they are through
    def retire_where(&chosen)
      @pinned.select(&chosen).each(&:expire)
      [*trunks, *@draining, *@spares].select(&chosen).each do |trunk|
        remove(trunk)
        @retiring.push(trunk)
      end
    end

    def remove(trunk)
      withdraw(trunk)
      @draining = nil if @draining.equal?(trunk)
      [@spares, @pinned, @retiring].each { |others| others.delete(trunk) }
    end

    # Takes in the answers of which no caller waits for the next: where all have come, a connection is idle, and one that was retired ends.
    # The lock is not held.
    def catch_up
      @retiring.dup.each(&:retire_now) unless @retiring.empty?
      @dispatcher.unread.each(&:catch_up)
    end

    # @return [Symbol]
    def state_of(trunk)
      return :pinned if @pinned.include?(trunk)
      return :spare if @spares.include?(trunk)

      trunks.include?(trunk) || @draining.equal?(trunk) ? :shared : :retiring
    end

    def counts = { shared: trunks.size + [*@draining].size, pinned: @pinned.size, spare: @spares.size, opening: @opening }

    private

    def further(trunks) = trunks.reject { |trunk| trunk.share&.first }

    def release(trunk)
      trunk.release
      share(trunk)
    end

    def share(trunk) = share_only([*@trunks, trunk])

    def share_only(trunks)
      @trunks = trunks.freeze
      @dispatcher.choose_among(@trunks, trunks.map(&:state))
    end

    # @return [Trunk, nil] the one that has been spare for longest, where it was idle for longer than max_idle
    def superfluous_spare = @spares.first.then { |spare| spare if Clock.now - spare.state.unused_since > @max_idle }

    def pin(trunk)
      trunk.reserve
      @pinned.push(trunk)
    end

    def expired?(spare) = spare.state.expired? || Clock.now - spare.state.idle_since >= @idle_limit

    # @return [Integer] how many are always left to callers that share
    def least_shared = @limit == 1 ? 0 : 1

    def take_shared
      return if @trunks.size <= least_shared

      trunk = @trunks.find { |candidate| candidate.idle? && candidate.reserve }
      trunk && withdraw(trunk)
    end

    # Not one on which a cancel is under way: while it is draining, no caller would read the answer that ends that.
    def begin_draining(least)
      emptiest = trunks.reject { |trunk| trunk.state.shut? }.min_by(&:active) if trunks.size > least
      @draining = withdraw(emptiest) if emptiest
    end

    def share_draining
      trunk, @draining = @draining, nil
      share(trunk)
      trunk
    end

    # @return [Boolean] whether the draining trunk is free: no caller is active there, and no cancel is under way. What is in flight is of callers that have
    # gone.
    def drained? = !@draining.nil? && @draining.deserted? && @draining.admits?(nil)

    def take_drained
      return unless @draining&.reserve

      trunk, @draining = @draining, nil
      trunk
    end

    def withdraw(trunk)
      share_only(@trunks - [trunk])
      trunk
    end
  end
  private_constant :Roster
end
