# frozen_string_literal: true

module Trunkline
  module Memcached
    # Converts the lifetime of a value in seconds to the number that a server expects.
    module TimeToLive
      # Seconds, a bound of the protocol: a server takes a larger number for a time on the Unix clock.
      LONGEST = 30 * 24 * 60 * 60
      private_constant :LONGEST

      module_function

      # @param seconds [Numeric, #to_i] 0: no limit; negative: expired at once; a future time on the Unix clock is used as such
      # @return [Integer]
      # @raise [ArgumentError]
      def number(seconds)
        number = whole(seconds)
        return number if number <= LONGEST

        now = Time.now.to_i
        number > now ? number : now + number
      end

      # Fractions are rounded up: half a second must not become 0, which means no limit.
      def whole(seconds)
        raise ArgumentError, "a time to live is a number of seconds, not #{Argument.shown(seconds)}" if String === seconds && !seconds.match?(/\A[+-]?\d/)

        number = seconds.to_i
        number.zero? && seconds.is_a?(Numeric) && seconds.positive? ? 1 : number
      rescue NoMethodError, FloatDomainError, RangeError
        advice = ": it stands before the options, as in set(key, value, 60, raw: true), and is nil for the client's" if Hash === seconds
        raise ArgumentError, "a time to live is a number of seconds, not #{Argument.shown(seconds)}#{advice}"
      end

      private_class_method :whole
    end
    private_constant :TimeToLive
  end
end
