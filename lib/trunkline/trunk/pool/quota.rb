# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # How many trunks a pool may have now if several processes divide the server's connections: one at first, then what each new connection has found
  # out. The owner's lock is held around each call.
  class Quota # :nodoc:
    # Seconds that a caller without any trunk waits for a server that takes no more connections: within that time other processes find out that their
    # share is smaller, and close connections. They count again after 10 to 15 s, and after twice that with more than one connection: see {#learn}.
    FULL_SERVER_WAIT = 30.0

    # @param most [Integer] upper limit, whatever the share is
    def initialize(most)
      @most = most
      @share = 1
      @count_at = Float::INFINITY
    end

    # @return [Integer] how many trunks there may be now
    def limit = [@share + (due? ? 1 : 0), @most].min

    # When it is due, one trunk more than the share may be opened, even if the server is full then. If there are several, one of them is replaced
    # first.
    #
    # @return [Boolean] whether it is time to count the share again
    def due? = @share < @most && Waiting.now >= @count_at

    # @param share [#limit, #full, #count_after, nil] what a new trunk has found out: this pool's share, whether this connection and all others are
    #   too many together, and seconds after which the share must be counted again; nil: the server's connections are not divided
    # @param size [Integer] how many trunks there are
    def learn(share, size)
      return @share, @count_at = @most, Float::INFINITY unless share

      @share = [share.full ? [share.limit, size - 1].min : share.limit, 1].max
      @count_at = Waiting.now + (share.count_after * (@share == 1 ? 1 : 2))
    end

    # The server takes no more connections: half of the present number is the share until it is counted again.
    #
    # @param size [Integer] how many trunks there are
    # @param count_at [Float] when that is, on the clock of Waiting.now
    def halve(size, count_at)
      @share = [size / 2, 1].max
      @count_at = count_at
    end
  end
  private_constant :Quota
end
