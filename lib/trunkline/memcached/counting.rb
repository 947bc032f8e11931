# frozen_string_literal: true

module Trunkline
  module Memcached
    # Counters from 0 to 2**64 - 1 that a server changes atomically.
    module Counting
      # The largest counter and version number.
      MOST = (2**64) - 1

      # @param amount [Integer] not negative; other values, such as 1.5 or "2", are refused
      # @param ttl [Numeric, nil] seconds, for one that `default` creates
      # @param default [Integer, nil] its value if there is none; nil: then nothing happens
      # @return [Integer, nil] the new value; nil: there is none
      # @raise [NotANumber] the value is not a number; one must be stored raw, as a String or by `default`
      # @raise [ArgumentError] an invalid amount or default
      def incr(key, amount = 1, ttl = nil, default = nil) = count(key, amount, ttl, default, " MI")

      # Takes the arguments of {#incr}. The result is 0 at least.
      def decr(key, amount = 1, ttl = nil, default = nil) = count(key, amount, ttl, default, " MD")

      private

      def count(key, amount, ttl, default, mode)
        wire = @keys.wire(key)
        flags = "#{mode} v D#{number(amount)}"
        flags = "#{flags} N#{time_to_live(ttl)} J#{number(default)}" if default
        request = @cluster.perform(Request.count(wire, flags), wire)
        request.answer&.to_i
      end

      def number(given)
        return given if Argument.is?(given, Integer) && given.between?(0, MOST)

        raise ArgumentError, "an Integer between 0 and #{MOST} is needed to count with, not #{Argument.shown(given)}"
      end
    end
  end
end
