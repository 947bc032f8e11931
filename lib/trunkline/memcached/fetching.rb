# frozen_string_literal: true

module Trunkline
  module Memcached
    # Reads values, and computes missing ones.
    module Fetching
      # Seconds between two reads of a value that another client computes: the first pause, and the longest; each is twice the one before. A value that
      # takes a second to compute costs each waiting caller nine reads, and one that takes 30 ms two; it arrives 0.2 s late at most.
      FIRST_PAUSE = 0.01
      LONGEST_PAUSE = 0.2
      GUARD = %i[lock_ttl recache].freeze
      private_constant :FIRST_PAUSE, :LONGEST_PAUSE, :GUARD

      # Reads a value, or computes and stores it if there is none. With a block, a server that cannot be reached, does not answer in time, or refuses
      # the value, counts as empty: the block is called, its value returned, and on_error gets the error. Without a block it is as {Reading#get}.
      #
      # With `lock_ttl`, only one of all callers on all machines computes it: the others get the stale value, if there is one, or else wait for the
      # new one; if none has arrived after that many seconds, another caller computes.
      #
      # @param ttl [Numeric, nil] seconds; nil: the client's expires_in
      # @param options [Hash, nil] those of {Writing#set}; cache_nils: a stored nil is a value;
      #   lock_ttl: seconds that computing may take; recache: seconds before its expiry from which a value is computed again
      # @yieldreturn [Object] the value to store, unless another client has stored one meanwhile
      # @return [Object, nil] nil without a block: there is none
      # @raise [UnmarshalError, MarshalError, ArgumentError]
      # @raise [Error] the server has failed, and there is no block, or raise_errors was given
      def fetch(key, ttl = nil, options = nil, &block)
        return get(key, options.is_a?(Hash) ? options.except(*GUARD) : options) unless block

        @values.check_options(options, *GUARD) if options
        return fetch_guarded(key, ttl, options, &block) if options && GUARD.any? { |name| options.key?(name) }

        request = read_guarded(key, Reading::VALUE) or return yield
        value = value_of(request, options)
        return value unless value.nil? && !(request.answer && nils_count?(options))

        yield.tap { |fresh| surviving { add(key, fresh, ttl, options) } }
      end

      # {#fetch} with Dalli's names for its options.
      #
      # @param recache_threshold [Numeric, nil] seconds before its expiry from which a value is computed again
      # @param req_options [Hash, nil] other options of {#fetch}
      # @raise [ArgumentError] there is no block
      def fetch_with_lock(key, ttl: nil, lock_ttl: 30, recache_threshold: nil, req_options: nil, &block)
        raise ArgumentError, "fetch_with_lock needs a block that computes the value" unless block

        @values.check_options(req_options) if req_options
        fetch(key, ttl, { **(req_options || {}), lock_ttl: lock_ttl, recache: recache_threshold }.compact, &block)
      end

      private

      # Failures of the server are reported, and the caller continues.
      def surviving
        yield
      rescue ServerError, *Cluster::FAILURES => error
        @cluster.report_failure(error)
      end

      def nils_count?(options) = options&.key?(:cache_nils) ? options[:cache_nils] : @cache_nils

      def fetch_guarded(key, ttl, options, &block)
        guard = options.slice(*GUARD).compact
        options = options.except(*GUARD)
        flags = guard_flags(**guard)
        last_look = Waiting.due(guard.fetch(:lock_ttl, 30))
        pause = FIRST_PAUSE
        loop do
          request = read_guarded(key, flags) or return yield
          return compute(key, ttl, options, request.cas, &block) if request.won?
          return value_of(request, options) unless being_computed?(request)
          return yield if Waiting.now >= last_look

          sleep(pause)
          pause = [pause * 2, LONGEST_PAUSE].min
        end
      end

      def guard_flags(lock_ttl: 30, recache: nil)
        flags = "#{Reading::VERSION} N#{TimeToLive.number(lock_ttl)}"
        recache ? "#{flags} R#{TimeToLive.number(recache)}" : flags
      end

      # @return [Request, nil] answered; nil: the server has failed
      def read_guarded(key, flags)
        wire = @keys.wire(key)
        surviving { @cluster.perform(Request.get(wire, flags), wire) }
      end

      # The server's placeholder for a value that is being computed is empty.
      def being_computed?(request) = request.lost? && request.answer.empty?

      # Another client may have stored or deleted it meanwhile: then that applies.
      def compute(key, ttl, options, version)
        value = yield
        stored = surviving { set_cas(key, value, version, ttl, options) || true }
        value
      ensure
        surviving { delete_cas(key, version) } unless stored
      end
    end
  end
end
