# frozen_string_literal: true

module Trunkline
  module Memcached
    # Commands that change values.
    module Writing
      SET = " c"
      ADD = " c ME"
      REPLACE = " c MR"
      APPEND = " MA"
      PREPEND = " MP"
      AS_IT_IS = { raw: true }.freeze
      private_constant :SET, :ADD, :REPLACE, :APPEND, :PREPEND, :AS_IT_IS

      # Stores a value.
      #
      # @param key [String, Symbol]
      # @param value [Object] that the serializer accepts; also nil
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in; 0: no limit
      # @param options [Hash, nil] raw: unchanged, a String or a number; compress: whether to, if it is long
      # @return [Integer] the number of this version
      # @raise [Deadline] no answer in time; it may have been stored
      # @raise [ConnectionError, NotSent] the server cannot be reached: nothing was stored
      # @raise [Indeterminate] the connection was lost: it may have been stored
      # @raise [ValueTooLarge, MarshalError, ArgumentError]
      def set(key, value, ttl = nil, options = nil) = store(key, value, ttl, options, SET)

      # Stores a value unless there is one.
      #
      # @return [Integer, false] the number of this version; false: there is one
      def add(key, value, ttl = nil, options = nil) = store(key, value, ttl, options, ADD)

      # Stores a value if there is one.
      #
      # @return [Integer, false] the number of this version; false: there is none
      def replace(key, value, ttl = nil, options = nil) = store(key, value, ttl, options, REPLACE)

      # Stores a value if the present one still has this version.
      #
      # @param version [Integer] as {Reading#get_cas} returns it; 0: any version
      # @return [Integer, false] the number of the new version; false: it has another version, or there is none
      def set_cas(key, value, version, ttl = nil, options = nil) = store(key, value, ttl, options, versioned(SET, version))

      # {#replace}, if the present value still has this version.
      def replace_cas(key, value, version, ttl = nil, options = nil)
        store(key, value, ttl, options, versioned(REPLACE, version))
      end

      # Replaces a value by what the block returns for it, unless another client changes it meanwhile.
      #
      # @yieldparam value [Object]
      # @return [Integer, false, nil] the number of the new version; false: another client has changed it; nil: there is none
      def cas(key, ttl = nil, options = nil)
        raise ArgumentError, "cas needs a block that computes the new value from the old one; set_cas stores by a version" unless block_given?

        value, version = get_cas(key, options)
        return if version.zero?

        set_cas(key, yield(value), version, ttl, options)
      end

      # {#cas}, but the block is also called, with nil, if there is no value.
      def cas!(key, ttl = nil, options = nil)
        raise ArgumentError, "cas! needs a block that computes the new value from the old one; set_cas stores by a version" unless block_given?

        value, version = get_cas(key, options)
        set_cas(key, yield(value), version, ttl, options)
      end

      # Appends bytes to a value, which must have been stored raw.
      #
      # @return [Boolean] false: there is none
      def append(key, value) = attach(key, value, APPEND)

      # Prepends bytes to a value, which must have been stored raw.
      #
      # @return [Boolean] false: there is none
      def prepend(key, value) = attach(key, value, PREPEND)

      # Stores many values with one round trip to each server. If a server fails, only its own keys are missing; on_error gets its error.
      #
      # @param pairs [Hash] keys and values
      # @return [Boolean] whether every server has stored its values
      # @raise [ConnectionError, NotSent, Indeterminate, Deadline] a server has failed, and raise_errors was given
      # @raise [ValueTooLarge, ServerError] the first refusal of a server; the others are stored
      def set_multi(pairs, ttl = nil, options = nil)
        raise ArgumentError, "set_multi takes a Hash of keys and values, not #{Argument.class_of(pairs)}" unless Argument.responds?(pairs, :keys)

        @values.check_options(options) if options
        return true if pairs.empty?

        wires = @keys.wires(pairs.keys)
        values = pairs.values.map { |value| @values.dump(value, options) { |bytes, flags| [bytes, flags] } }
        flags = life(ttl)
        answered = @cluster.perform_all(wires, values, changes: true) do |theirs, their_values|
          Request.store_many(theirs, their_values.flatten(1), flags)
        end
        answered.sum { |request| request.key.size } == wires.size
      end

      # Sends the changes that the calling fiber makes within the block without waiting for the answer to each, and waits for all at the end. Each of
      # them returns nil. Calls that read, and those of many keys, wait as usual. on_error gets failures and refusals. Changes to one server are made
      # in order.
      #
      # @return [Object] what the block returned
      # @raise [Error] a change has failed or was refused, and raise_errors was given
      # @raise [ArgumentError] there is no block
      def quiet(&block)
        raise ArgumentError, "quiet needs a block, whose changes are not waited for one by one" unless block

        @cluster.without_waiting(&block)
      end
      alias multi quiet

      # @return [Boolean] whether there was one
      def delete(key) = delete_cas(key, 0)

      # Deletes a value if it still has this version.
      #
      # @param version [Integer] 0: any version
      # @return [Boolean] whether it was deleted
      def delete_cas(key, version = 0)
        wire = @keys.wire(key)
        @cluster.perform(Request.delete(wire, versioned("", version)), wire).stored?
      end

      # Deletes many values with one round trip to each server. If a server fails, only its own keys remain; on_error gets its error.
      #
      # @param keys [Array<String, Symbol>]
      # @return [Integer] how many there were on the servers that have answered
      # @raise [ConnectionError, NotSent, Indeterminate, Deadline] a server has failed, and raise_errors was given
      def delete_multi(*keys)
        keys = keys.flatten.compact
        return 0 if keys.empty?

        @cluster.perform_all(@keys.wires(keys), keys, changes: true) { |theirs| Request.delete_many(theirs, "") }.sum(&:done_count)
      end

      private

      def store(key, value, ttl, options, mode)
        wire = @keys.wire(key)
        flags = nil == ttl ? "#{mode}#{@life}" : "#{mode}#{life(ttl)}"
        request = @values.dump(value, options) { |bytes, coding| Request.store(wire, bytes, coding, flags) }
        request = @cluster.perform(request, wire)
        request.stored? && request.cas
      end

      def attach(key, value, mode)
        wire = @keys.wire(key)
        request = @values.dump(Argument.text(value, "the value"), AS_IT_IS) { |bytes, coding| Request.store(wire, bytes, coding, mode) }
        @cluster.perform(request, wire).stored?
      end

      def versioned(mode, version)
        unless Argument.is?(version, Integer) && version.between?(0, Counting::MOST)
          raise ArgumentError, "a version is an Integer, as get_cas and set return it, not #{Argument.shown(version)}"
        end

        version.zero? ? mode : "#{mode} C#{version}"
      end

      # @return [String] a flag; empty: no limit
      def life(ttl)
        number = time_to_live(ttl)
        number.zero? ? "" : " T#{number}"
      end

      def time_to_live(ttl) = nil == ttl ? @time_to_live : TimeToLive.number(ttl)
    end
  end
end
