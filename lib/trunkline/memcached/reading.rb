# frozen_string_literal: true

module Trunkline
  module Memcached
    # What asks for values.
    module Reading
      VALUE = " v f"
      VERSION = " v f c"

      # @param key [String, Symbol]
      # @param options [Hash, nil] raw: true returns the bytes as they are stored
      # @return [Object, nil] the value; nil: there is none
      # @raise [Deadline] no answer in time
      # @raise [ConnectionError, NotSent, Indeterminate] the server cannot be reached, or is lost
      # @raise [UnmarshalError] what is stored cannot be read
      # @raise [ArgumentError] the key is blank
      def get(key, options = nil)
        wire = @keys.wire(key)
        value_of(@cluster.perform(Request.get(wire, VALUE), wire), options)
      end

      # Reads and gives it another time to live.
      #
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in
      # @return [Object, nil] as {#get}
      def gat(key, ttl = nil, options = nil)
        wire = @keys.wire(key)
        value_of(@cluster.perform(Request.get(wire, "#{VALUE} T#{time_to_live(ttl)}"), wire), options)
      end

      # Gives it another time to live.
      #
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in
      # @return [true, nil] nil: there is no such key
      def touch(key, ttl = nil)
        wire = @keys.wire(key)
        @cluster.perform(Request.get(wire, " T#{time_to_live(ttl)}"), wire).found? || nil
      end

      # Reads with the number of its version, which {Writing#set_cas} takes.
      #
      # @return [Array(Object, Integer)] nil and 0: there is none; or what the block returns
      # @yieldparam value [Object, nil]
      # @yieldparam version [Integer]
      def get_cas(key, options = nil)
        wire = @keys.wire(key)
        request = @cluster.perform(Request.get(wire, VERSION), wire)
        value = value_of(request, options)
        block_given? ? yield(value, request.cas) : [value, request.cas]
      end
      alias gets get_cas

      # Reads many in one flight to each server. Keys of servers that cannot be reached, or do not answer in time, are missing, as
      # if there were none; on_error gets their errors.
      #
      # @param keys [Array<String, Symbol>]
      # @return [Hash{String => Object}] nil when a block takes the pairs
      # @yieldparam key [String]
      # @yieldparam value [Object]
      # @raise [UnmarshalError]
      # @raise [ConnectionError, NotSent, Indeterminate, Deadline] a server has failed, and raise_errors was given
      def get_multi(*keys, &block)
        found = read_many(keys, VALUE) { |request| values_of(request) }
        return found unless block

        found.each(&block)
        nil
      end

      # @return [Hash] as {#get_multi}, of value and version
      def get_multi_cas(*keys, &block)
        found = read_many(keys, VERSION) do |request|
          versions = request.versions
          values_of(request).to_h { |key, value| [key, [value, versions[key]]] }
        end
        return found unless block

        found.each(&block)
        nil
      end

      private

      def value_of(request, options)
        bytes = request.answer or return
        @values.load(bytes, request.client_flags, options)
      end

      def read_many(keys, flags, &found)
        keys = keys.first if keys.size == 1 && keys.first.is_a?(Array)
        keys = keys.flatten.compact.map(&:to_s) unless Request.fit?(keys)
        return {} if keys.empty?

        requests = @cluster.perform_all(@keys.wires(keys), keys) { |wires, names| Request.get_many(wires, names, flags) }
        requests.map(&found).reduce({}) { |all, some| all.empty? ? some : all.update(some) }
      end

      # Those with flags need Ruby.
      def values_of(request)
        found = request.answer
        request.coded&.each { |key, flags| found[key] = @values.load(found[key], flags) }
        found
      end
    end
  end
end
