# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # How many trunks a pool may have at this moment, where others have their part of what the server takes: one at first, and then what each new one
  # has found out. Its owner's lock is held around each call.
  class Quota # :nodoc:
    # Seconds after which one more may be opened than the share, so that it is found out again; at random, as others do the same.
    LOOK_AGAIN = 10.0..15.0
    # Seconds for which a caller without any trunk waits for a server that takes no more: others learn that they are fewer, and have less each, in
    # that time.
    PATIENCE = 30.0
    private_constant :LOOK_AGAIN

    # @param most [Integer] trunks, whatever the share is
    def initialize(most)
      @most = most
      @share = 1
      @look_at = Float::INFINITY
    end

    # @return [Integer] trunks that there may be now
    def limit = [@share + (due? ? 1 : 0), @most].min

    # @return [Boolean] whether it is time to find out the share again
    def due? = @share < @most && Waiting.now >= @look_at

    # @param share [#limit, #full, nil] what a new trunk has found: trunks of this pool, and whether all others and this one are too many together; nil:
    #   the server is not shared in this way
    # @param size [Integer] trunks that there are
    def learn(share, size)
      @look_at = share ? Waiting.now + rand(LOOK_AGAIN) : Float::INFINITY
      @share = if share.nil? then @most
               else [share.full ? [share.limit, size - 1].min : share.limit, 1].max
               end
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
