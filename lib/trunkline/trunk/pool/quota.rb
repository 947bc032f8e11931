# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # How many trunks a pool may have at this moment, where others have their part of what the server takes: one at first, and then what each new one
  # has found out. Its owner's lock is held around each call.
  class Quota # :nodoc:
    # Seconds for which a caller without any trunk waits for a server that takes no more: others learn that they are fewer, and have less each, in
    # that time.
    PATIENCE = 30.0

    # @param most [Integer] trunks, whatever the share is
    def initialize(most)
      @most = most
      @share = 1
      @look_at = Float::INFINITY
    end

    # @return [Integer] trunks that there may be now
    def limit = [@share + (due? ? 1 : 0), @most].min

    # One more than the share may be opened then, which may be more than the server takes. Where there are several, one of them is replaced before that.
    #
    # @return [Boolean] whether it is time to find out the share again
    def due? = @share < @most && Waiting.now >= @look_at

    # @param share [#limit, #full, #count_after, nil] what a new trunk has found: trunks of this pool, whether all others and this one are too many together,
    #   and seconds after which that is to be found out again; nil: the server is not shared in this way
    # @param size [Integer] trunks that there are
    def learn(share, size)
      return @share, @look_at = @most, Float::INFINITY unless share

      @share = [share.full ? [share.limit, size - 1].min : share.limit, 1].max
      @look_at = Waiting.now + (share.count_after * (@share == 1 ? 1 : 2))
    end

    # The server takes no more: half of what there is will have to do until it is asked again.
    #
    # @param size [Integer] trunks that there are
    # @param look_at [Float] on the clock of Waiting.now
    def halve(size, look_at)
      @share = [size / 2, 1].max
      @look_at = look_at
    end
  end
  private_constant :Quota
end
