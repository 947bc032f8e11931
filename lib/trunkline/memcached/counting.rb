# frozen_string_literal: true

module Trunkline
  module Memcached
    # Numbers from 0 to 2**64 - 1 that a server counts up and down: in one step, whatever other clients do.
    module Counting
      # What a server counts to, and versions have.
      MOST = (2**64) - 1

      # @param amount [Integer] not negative; nothing else counts, as 1.5 or "2" would be taken for another number or a mistake
      # @param ttl [Numeric, nil] seconds, for one that `default` makes
      # @param default [Integer, nil] what it is when there is none; nil: nothing happens then
      # @return [Integer, nil] what it is now; nil: there is none
      # @raise [NotANumber] the value is none; one must be stored raw, as a String or by `default`
      # @raise [ArgumentError] an amount or default that cannot be
      def incr(key, amount = 1, ttl = nil, default = nil) = count(key, amount, ttl, default, " MI")

      # Takes as {#incr}. Below 0 it does not go.
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
