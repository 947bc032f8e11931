# frozen_string_literal: true

module Trunkline
  module Memcached
    # Commands that read values.
    module Reading
      VALUE = " v f"
      VERSION = " v f c"
      # Options of get_with_metadata, and their flags in the command.
      METADATA = { return_cas: "", return_hit_status: " h", return_last_access: " l", return_ttl_remaining: " t", skip_lru_bump: " u" }.freeze
      TIMES = { vivify_ttl: " N", recache_ttl: " R" }.freeze
      private_constant :METADATA, :TIMES

      # @param key [String, Symbol]
      # @param options [Hash, nil] raw: true returns the bytes as they are stored
      # @return [Object, nil] the value; nil: there is none
      # @raise [Deadline] no answer in time
      # @raise [ConnectionError, NotSent, Indeterminate] the server cannot be reached, or the connection is lost
      # @raise [UnmarshalError] the stored value cannot be read
      # @raise [ArgumentError] the key is blank, or options are not a Hash or have an unknown name
      def get(key, options = nil)
        @values.check_options(options) if options
        wire = @keys.wire(key)
        value_of(@cluster.perform(Request.get(wire, VALUE), wire), options)
      end

      # Reads a value and changes its time to live.
      #
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in
      # @return [Object, nil] as {#get}
      def gat(key, ttl = nil, options = nil)
        @values.check_options(options) if options
        wire = @keys.wire(key)
        value_of(@cluster.perform(Request.get(wire, "#{VALUE} T#{time_to_live(ttl)}"), wire), options)
      end

      # Changes a value's time to live.
      #
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in
      # @return [true, nil] nil: there is no such key
      def touch(key, ttl = nil)
        wire = @keys.wire(key)
        @cluster.perform(Request.get(wire, " T#{time_to_live(ttl)}"), wire).found? || nil
      end

      # Reads a value and the number of its version, which {Writing#set_cas} takes.
      #
      # @return [Array(Object, Integer)] nil and 0: there is none; or what the block returns
      # @yieldparam value [Object, nil]
      # @yieldparam version [Integer]
      def get_cas(key, options = nil)
        @values.check_options(options) if options
        wire = @keys.wire(key)
        request = @cluster.perform(Request.get(wire, VERSION), wire)
        value = value_of(request, options)
        block_given? ? yield(value, request.cas) : [value, request.cas]
      end
      alias gets get_cas

      # Reads a value with its metadata.
      #
      # @param options [Hash, nil] those of {#get}; return_hit_status, return_last_access, return_ttl_remaining: whether to return these;
      #   skip_lru_bump: whether reading does not count as a use of the value; return_cas: without effect, as the version is always returned;
      #   vivify_ttl: seconds for which the server keeps a placeholder for a missing value: this caller has won it then; recache_ttl: seconds before
      #   its expiry from which one caller wins the value, to compute it again
      # @return [Hash{Symbol => Object}] value: as {#get}; cas: the number of its version, 0 if there is none; miss: whether there is none;
      #   won_recache, lost_recache, stale: the server's flags if values are computed again, see {Fetching#fetch}; hit_before: whether the value was
      #   read before, nil if there is none; last_access: seconds since it was read or stored, 0 if there is none; ttl_remaining: seconds until it
      #   expires, -1 if it does not, 0 if there is none
      # @raise [Error] as {#get}
      def get_with_metadata(key, options = nil)
        options ||= {}
        @values.check_options(options, *METADATA.keys, *TIMES.keys)
        wire = @keys.wire(key)
        request = @cluster.perform(Request.get(wire, metadata_flags(options)), wire)
        known = { value: value_of(request, options.except(*METADATA.keys, *TIMES.keys)), cas: request.cas, won_recache: request.won?,
                  stale: request.stale?, lost_recache: request.lost?, miss: request.answer.nil? }
        known[:hit_before] = request.answer && request.hit_before? if options[:return_hit_status]
        known[:last_access] = request.last_access if options[:return_last_access]
        known[:ttl_remaining] = request.ttl_remaining if options[:return_ttl_remaining]
        known
      end

      # Reads many values with one request to each server. Keys of servers that cannot be reached, or do not answer in time, are missing from the
      # result; on_error gets their errors.
      #
      # @param keys [Array<String, Symbol>]
      # @return [Hash{String => Object}] nil if a block takes the pairs
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

      def metadata_flags(options)
        wanted = METADATA.select { |name, _| options[name] }.values
        times = TIMES.filter_map { |name, flag| "#{flag}#{TimeToLive.number(options[name])}" if options[name] }
        [VERSION, *wanted, *times].join
      end

      def value_of(request, options)
        bytes = request.answer or return
        @values.load(bytes, request.client_flags, options)
      end

      def read_many(keys, flags, &found)
        keys = keys.first if keys.size == 1 && Array === keys.first
        keys = keys.flatten.compact.map { |key| @keys.text(key) } unless Request.fit?(keys)
        return {} if keys.empty?

        requests = @cluster.perform_all(@keys.wires(keys), keys) { |wires, names| Request.get_many(wires, names, flags) }
        requests.map(&found).reduce({}) { |all, some| all.empty? ? some : all.update(some) }
      end

      # Values with flags need Ruby.
      def values_of(request)
        found = request.answer
        request.coded&.each { |key, flags| found[key] = @values.load(found[key], flags) }
        found
      end
    end
  end
end
