# frozen_string_literal: true

module Trunkline
  module Memcached
    # The methods of a Rails cache store that libraries call, for those that are given a client instead: Rack::Attack.cache.store = client. A server
    # that cannot be reached, does not answer in time or refuses counts as empty; on_error gets the error.
    module Storing
      # @return [Object, nil] as {Reading#get}
      # @raise [Error] the server has failed, and raise_errors was given
      def read(key, _options = nil) = surviving { get(key) }

      # Stores a value; an Integer in the form that {#increment} needs.
      #
      # @param options [Hash, nil] expires_in: seconds; others are ignored
      # @return [Boolean] whether it was stored
      # @raise [Error] the server has failed, and raise_errors was given
      def write(key, value, options = nil)
        surviving { set(key, value, options&.dig(:expires_in), value.is_a?(Integer) ? { raw: true } : nil) } ? true : false
      end

      # Increments a counter, from 0 if there is none.
      #
      # @param options [Hash, nil] expires_in: seconds, for a new counter
      # @return [Integer, nil] the new value; nil: unknown
      # @raise [Error] the server has failed, and raise_errors was given
      # @raise [ArgumentError] as {Counting#incr}
      def increment(key, amount = 1, options = nil)
        surviving { incr(key, amount, options&.dig(:expires_in), amount) }
      end
    end
  end
end
