# frozen_string_literal: true

module Trunkline
  module Memcached
    # What libraries ask of a cache store of Rails, for those that are given a client instead: Rack::Attack.cache.store = client. A server
    # that cannot be reached, does not answer in time or refuses is as one that has nothing; on_error gets the error.
    module Storing
      # @return [Object, nil] as {Reading#get}
      # @raise [Error] the server has failed, and raise_errors was given
      def read(key, _options = nil) = surviving { get(key) }

      # Stores a value; an Integer so that {#increment} counts it.
      #
      # @param options [Hash, nil] expires_in: seconds; others are of no use here
      # @return [Boolean] whether it was stored
      # @raise [Error] the server has failed, and raise_errors was given
      def write(key, value, options = nil)
        surviving { set(key, value, options&.dig(:expires_in), value.is_a?(Integer) ? { raw: true } : nil) } ? true : false
      end

      # Counts up, from 0 where there is no value.
      #
      # @param options [Hash, nil] expires_in: seconds, for a value that was not there
      # @return [Integer, nil] what it is now; nil: it is not known
      # @raise [Error] the server has failed, and raise_errors was given
      # @raise [ArgumentError] as {Counting#incr}
      def increment(key, amount = 1, options = nil)
        surviving { incr(key, amount, options&.dig(:expires_in), amount) }
      end
    end
  end
end
