# frozen_string_literal: true

class GateProxy
  # Faults in one direction of one connection, and where they happen: a function of a seed and of the bytes that have gone through, never of time.
  class Troubles
    # Seconds of the longest stall, and of the delay of each byte on a slow connection.
    LONGEST_STALL = 0.05
    LATE = 0.002
    # One in so many connections is slow.
    SLOW = 4
    # Bytes for which a split lasts, and bytes that are sent at once meanwhile.
    SPLIT = 300
    PIECE = 12
    private_constant :LONGEST_STALL, :LATE, :SLOW, :SPLIT, :PIECE

    # Makes the troubles for every connection of a proxy. Random ignores the highest 32 bits of a seed, or treats them differently if they are 1 or 2,
    # so these are never used.
    #
    # @param seed [Integer]
    # @param gaps [Hash{Symbol => Integer}] the average number of bytes between two troubles of a kind
    # @return [Proc] takes the connection's number and the direction, and makes its troubles
    def self.from(seed, gaps)
      ->(number, direction) { new(Random.new((seed << 34) + (number << 1) + (direction == :answers ? 1 : 0)), gaps) }
    end

    # @return [Float] seconds by which each byte is delayed
    attr_reader :delay

    def initialize(random, gaps)
      @random = random
      @gaps = gaps
      @next = gaps.transform_values { 0 }
      gaps.each_key { |kind| put_off(kind) }
      @delay = random.rand(SLOW).zero? && gaps.any? ? LATE : 0.0
      @split_until = @still_until = 0
      @cut = false
    end

    # @param position [Integer] bytes that have gone through
    # @return [Numeric] bytes that may be sent at once now
    def room(position, now)
      return 0 if now < @still_until

      ahead = @next.each_value.min
      [ahead ? ahead - position : Float::INFINITY, position < @split_until ? PIECE : Float::INFINITY].min
    end

    # So many bytes have gone through in all.
    def passed(position, now)
      @next.each do |kind, at|
        next if at > position

        strike(kind, position, now)
        put_off(kind)
      end
    end

    # Seconds until bytes may be sent again; nil when they may now.
    def interval(now)
      @still_until - now if @still_until > now
    end

    def cut?
      @cut
    end

    private

    # At least one byte, so that all bytes are sent before the next trouble.
    def put_off(kind)
      @next[kind] += 1 + (-Math.log(1 - @random.rand) * @gaps.fetch(kind)).floor
    end

    def strike(kind, position, now)
      case kind
      when :split then @split_until = position + SPLIT
      when :stall then @still_until = now + (@random.rand * LONGEST_STALL)
      when :cut then @cut = true
      end
    end
  end
end
