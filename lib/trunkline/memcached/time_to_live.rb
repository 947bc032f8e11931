# frozen_string_literal: true

module Trunkline
  module Memcached
    # Seconds that a value is to live -> the number that a server understands.
    module TimeToLive
      # Seconds. A server takes a larger number for a time of the Unix clock.
      LONGEST = 30 * 24 * 60 * 60
      private_constant :LONGEST

      module_function

      # @param seconds [Numeric, #to_i] 0: for ever; negative: it is gone at once; a time on the Unix clock, in the future, is
      #   taken for that
      # @return [Integer]
      # @raise [ArgumentError]
      def number(seconds)
        number = whole(seconds)
        return number if number <= LONGEST

        now = Time.now.to_i
        number > now ? number : now + number
      end

      # Parts of a second count: what is to live half a second is not to live for ever.
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
