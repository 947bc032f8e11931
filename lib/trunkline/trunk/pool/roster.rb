# frozen_string_literal: true

require_relative "idle_checks"
require_relative "quota"

module Trunkline
  # The trunks of a pool, each in one state: shared by all callers; pinned to one; spare, kept for the next caller that pins; draining, taking no new
  # requests until it is pinned; or retiring, closed when its requests are answered. The owner's lock is held around each call.
  class Roster # :nodoc:
    attr_reader :trunks # the shared ones; frozen

    attr_reader :dispatcher # chooses among the shared trunks

    attr_reader :idle_limit # [Float] seconds after which an idle trunk is taken out, before its server would end it

    attr_reader :quota # this process's share of the server's connections; nil: they are not divided

    attr_reader :opening_to_share # how many trunks are being opened to be shared

    # @return [IdleChecks, nil] nil: idle trunks are not checked
    attr_reader :idle_checks

    # @param connections [Integer] how many are shared, unless the load needs more
    # @param most [Integer] how many there are at most, in all
    # @param max_idle [Float] seconds after which an unused one beyond `connections` is closed
    # @param divided [Boolean] whether several processes divide the server's connections
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

    # The trunks that are leased to one caller each. A copy: without the lock, the original may change during iteration.
    def pinned = @pinned.dup
    def all = [*trunks, *@draining, *@spares, *@pinned, *@retiring]
    def size = @trunks.size + (@draining ? 1 : 0) + @spares.size + @pinned.size + @retiring.size + @opening

    # Limits the connections to those there are: the server takes no more.
    def refuse_more
      @limit = size unless nothing_open?
    end

    # Sets the limit to this process's share.
    def allow(most)
      @most = @limit = most
    end

    # Takes out trunks beyond the limit, idle ones first, unless they are pinned. If that is not enough, pinned ones are marked expired, and are
    # closed when they are returned. The trunk that makes this process known to others stays.
    #
    # @return [Array<Trunk>] to be closed when their requests are answered
    def shed_surplus
      count = size - @retiring.size - @opening - @limit
      return [] unless @quota && count.positive?

      chosen = further(@spares + trunks.each_with_index.sort_by { |trunk, index| [trunk.idle? ? 0 : 1, -index] }.map(&:first)).first(count)
      further(@pinned).first(count - chosen.size).each(&:expire)
      retire_where { |trunk| chosen.include?(trunk) }
    end

    def expect_more = @limit = @most # the server may take more again

    def single? = @limit == 1 # whether there may be only one connection, which is shared and reserved by turns

    # @return [String] how many connections there may be, and the reason
    def limit = "there may be #{@limit} (#{@limit < @most ? "the server takes no more" : "max_connections"})"

    def room? = size < @limit # whether another connection may be opened at all

    # @return [Boolean] whether another one may be opened and reserved: there must be room for a shared one too, unless there may be only one
    def room_to_pin? = room? && (size < @limit - 1 || trunks.size + @opening_to_share > 0 || single?)

    # Tells the dispatcher whether it may request one more trunk than there are. A trunk that is being opened counts, since the first will not stay
    # the only one.
    #
    # @return [Boolean] whether another connection may be shared, a spare or a new one, whatever the load, and none is being opened
    def update_room
      total = size
      @dispatcher.may_grow = total - @spares.size < @limit - 1 || @opening_to_share.positive?
      @opening_to_share.zero? && @trunks.size < @connections && (total < @limit || !@spares.empty?)
    end

    # Whether another shared one may be opened, whatever the load.
    def room_to_share? = @trunks.size + @opening_to_share < @connections && size < @limit

    # @return [Boolean] whether another trunk, spare or new, could be shared, if the opener allows it
    def may_share_another? = !@spares.empty? || !@quota.nil? || size < @limit - 1 || room_to_share?

    def fewer_shared? = @trunks.size + @opening_to_share < @connections # or are about to be shared

    # @return [Boolean] whether one more trunk, spare or new, may be shared. Room for one more is kept for callers that pin.
    def room_to_grow? = size - @spares.size < @limit - 1

    def idle_limit=(seconds)
      @dispatcher.idle_limit = @idle_limit = seconds
    end

    def opening? = @opening.positive?
    def nothing_open? = size.zero?
    def opening(to_pin:)
      @opening += 1
      @opening_to_share += 1 unless to_pin
    end

    def opened(trunk, to_pin:)
      not_opened(to_pin: to_pin)
      to_pin ? pin(trunk) : share(trunk)
    end

    def not_opened(to_pin:)
      @opening -= 1
      @opening_to_share -= 1 unless to_pin
    end

    # A trunk to pin, without opening one. The last shared trunk is never taken, unless there may be only one.
    #
    # @return [Trunk, nil]
    def take
      trunk = @spares.pop || (@draining && take_drained) || take_shared or return
      @pinned.push(trunk)
      trunk
    end

    # Pins a spare trunk for the request, without the lock. Nil: {#take} is needed, or another step before it.
    def take_ready_spare(mutex, only_locked, request, user) = (@dispatcher.take_ready_spare(mutex, only_locked, @spares, @pinned, request, user) if @retiring.empty?)

    # Takes out the spare trunks that the block selects; the caller returns each with {#check_in}.
    #
    # @return [Array<Trunk>]
    def take_spares(&chosen)
      taken, left = @spares.partition(&chosen)
      @spares.replace(left) # the same Array, which C changes
      @pinned.concat(taken)
      taken
    end

    # @return [Boolean] whether {#take} can return one
    def any_to_take? = !@spares.empty? || drained? || (trunks.size > least_shared && trunks.any?(&:idle?))

    # If shared trunks are busy without end, and no pinned one will be returned, a caller that pins would wait for ever. So one trunk takes no new
    # requests until that caller has it. The same is done for a long request, if no long one is in flight and no trunk can be opened for it.
    #
    # @param wanted [Boolean] whether a caller waits to pin a trunk
    # @param starving [Boolean] whether a long request has waited for long enough
    def drain(wanted, starving = false)
      wanted &&= @pinned.empty? && @spares.empty? && !room_to_pin? && !opening?
      starving &&= @draining || (dispatcher.longs.zero? && !room_to_grow?)
      share_draining if @draining && (@draining.state.shut? || !(wanted || starving))
      begin_draining(wanted ? least_shared : 1) if @draining.nil? && (wanted || starving)
    end

    def draining? = !@draining.nil?

    # @return [Trunk, nil] the draining trunk, which is shared again now that it has no active callers
    def share_drained
      share_draining if drained?
    end

    # @return [Boolean] whether fewer trunks are shared than `connections`, and a spare one can be
    def spare_to_share? = trunks.size + @opening_to_share < @connections && any_spare?

    def any_spare? = !@spares.empty?

    # @return [Trunk] the spare one, which is shared from now on
    def share_spare = @spares.pop.tap { |trunk| release(trunk) }

    # Keeps the trunk for the next caller that pins, unless one waits to share it, or none is shared: to share it each time took 6 % of a transaction's CPU.
    #
    # @param wanted [Integer] how many callers wait to pin a trunk
    # @param shared [Boolean] whether callers wait to share one
    # @return [Boolean] whether the trunk was pinned
    def check_in(trunk, wanted:, shared:)
      return false unless @pinned.delete(trunk)

      needed = @trunks.empty? || (shared && wanted <= @spares.size && @trunks.size < @connections)
      needed ? release(trunk) : @spares.push(trunk)
      true
    end
    # Puts a pinned trunk aside without the lock. False: that is needed.
    def put_aside_at_once(mutex, only_locked, trunk, growing) = @draining.nil? && !@trunks.empty? && @dispatcher.put_aside(mutex, only_locked, @spares, @pinned, trunk, growing)

    # Takes out a trunk that has reached its lifetime or was idle for too long, and is not pinned.
    #
    # @return [Trunk, nil]
    def retire
      trunk = outdated or return
      remove(trunk)
      @retiring.push(trunk).last
    end

    # Takes out the trunks that the block selects; pinned ones are marked expired instead, and are closed when they are returned.
    #
    # @return [Array<Trunk>] to be closed when their requests are answered
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

    # Reads answers that no active caller would read: when all have arrived, a connection is idle, and a retiring one is closed. The lock is not held.
    def read_unattended
      @retiring.dup.each(&:retire_now) unless @retiring.empty?
      @dispatcher.unread.each(&:read_unattended)
    end

    # @return [Symbol]
    def state_of(trunk)
      return :pinned if @pinned.include?(trunk)
      return :spare if @spares.include?(trunk)

      trunks.include?(trunk) || @draining.equal?(trunk) ? :shared : :retiring
    end

    def counts = { shared: trunks.size + [*@draining].size, pinned: @pinned.size, spare: @spares.size, opening: @opening }

    private

    def outdated = @dispatcher.expired || @spares.find { |spare| expired?(spare) } || @dispatcher.superfluous || (superfluous_spare unless @spares.empty?)

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

    # @return [Trunk, nil] the one that has been spare for longest, if it was unused for longer than max_idle, and there are more than `connections`
    def superfluous_spare = (@spares.find { |spare| Clock.now - spare.state.unused_since > @max_idle } if @trunks.size + @spares.size > @connections)

    def pin(trunk)
      trunk.reserve
      @pinned.push(trunk)
    end

    def expired?(spare) = spare.state.expired? || Clock.now - spare.state.idle_since >= @idle_limit

    def least_shared = @limit == 1 ? 0 : 1 # how many trunks are always left shared

    def take_shared
      return if @trunks.size <= least_shared

      trunk = @trunks.find { |candidate| candidate.idle? && candidate.reserve }
      trunk && withdraw(trunk)
    end

    # A trunk on which a cancel is under way is not drained: no caller would read the answer that ends it.
    def begin_draining(least)
      emptiest = trunks.reject { |trunk| trunk.state.shut? }.min_by(&:active) if trunks.size > least
      @draining = withdraw(emptiest) if emptiest
    end

    def share_draining
      trunk, @draining = @draining, nil
      share(trunk)
      trunk
    end

    # @return [Boolean] whether the draining trunk is free: no caller is active there, and no cancel is under way. Requests in flight are of callers
    #   that have left.
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
