# frozen_string_literal: true

require_relative "../../../socket/readiness"
require_relative "../../../trunk/deadlines"
require_relative "../../../trunk/lock"
require_relative "../../../trunk/pool/back_off"
require_relative "name_lookup"

module Trunkline
  module Postgres
    # Host names for which no connection could be opened, and the addresses that were tried. A failover may point a name to another server. So a name
    # is looked up again each second while an attempt to connect runs, and during the pause after a failed one. If it resolves to another address, the
    # next attempt begins at once: pauses spare a server that was tried, not another one.
    class NameWatch # :nodoc:
      # Seconds between two lookups of a name while an attempt runs: as between two during a pause.
      PAUSE = BackOff::PROBE_INTERVAL
      # Seconds for which a failed address does not count as a change: the longest pause between two attempts at one server. A resolver may return
      # several addresses in turn.
      FAILED_FOR = BackOff::LONGEST_SLOW
      private_constant :FAILED_FOR

      # One attempt to connect to a host by its name. The attempt's thread looks the name up.
      class Attempt
        # @return [Config::Host]
        attr_reader :host

        # @param host [Config::Host]
        # @param failed [Hash{Array => Float}] addresses that have failed, and when
        def initialize(host, failed)
          @host = host
          @failed = failed
          @all = @ordered = []
          @lookup = NameLookup.new(host, Waiting.now + rand(PAUSE))
        end

        # @param addresses [Array<Addrinfo>] of the name
        # @return [Array<Addrinfo>] the same, in the order in which they are tried: those that have failed come last
        def order(addresses)
          ordered = addresses.sort_by.with_index { |address, index| [failed_at(NameLookup.address_and_port(address)), index] }
          @all = addresses.map { |address| NameLookup.address_and_port(address) }.sort
          @ordered = ordered.map { |address| NameLookup.address_and_port(address) }
          ordered
        end

        # @return [Array(String, Integer), nil] address and port that were tried first; nil: the name was not looked up
        def first = @ordered.first

        # @param address [Array(String, Integer)] address and port to which a connection was opened
        # @return [Hash{Array => Float}] addresses of the name that are still tried last: those that were tried in vain before it, now or lately
        def passed_over(address)
          lately = @failed.select { |one, at| @all.include?(one) && Waiting.now - at < FAILED_FOR }
          { **lately, **@ordered.take(@ordered.index(address) || 0).to_h { |one| [one, Waiting.now] } }.except(address)
        end

        # @return [Socket::Resumable::Wait] for the start of the next lookup, or for its answer
        def wait = @lookup.wait

        # Resumes when the wait is over.
        #
        # @return [Boolean] whether the name resolves to an address now that was not tried
        def resume
          found = @lookup.resume or return false

          address_changed = changed_to?(found)
          @lookup = NameLookup.new(@host, Waiting.now + rand(PAUSE)) unless address_changed
          address_changed
        end

        # @return [Boolean] whether a lookup is running
        def lookup_running? = @lookup.begun?

        # Begins a lookup.
        #
        # @return [Boolean] as {#resume}
        def begin_lookup
          @lookup = NameLookup.new(@host, Waiting.now)
          resume
        end

        # Ends a lookup that is running.
        #
        # @return [void]
        def abandon = @lookup.abandon

        private

        def changed_to?(found) = found.any? && found != @all && found.any? { |one| one != first && Waiting.now - failed_at(one) > FAILED_FOR }

        def failed_at(address) = @failed.fetch(address, -Float::INFINITY)
      end

      def initialize
        @lock = Lock.new
        succeeded
      end

      # @param host [Config::Host] of an attempt that begins
      # @return [Attempt, nil] nil: the host has no name to look up
      def attempt(host) = (Attempt.new(host, @failed) if host.named?)

      # @param attempt [Attempt, nil] that has failed, or whose name resolves to another address now
      # @return [void]
      def failed(attempt)
        return unless attempt

        attempt.abandon
        @lock.synchronize do
          @failed = { **@failed, attempt.first => Waiting.now } if attempt.first
          @last = { **@last, attempt.host => attempt }
        end
      end

      # There is a connection: earlier failures are forgotten, except those of other addresses of the same name.
      #
      # @param attempt [Attempt, nil] that has succeeded
      # @param address [Array(String, Integer), nil] address and port to which it has connected
      # @return [void]
      def succeeded(attempt = nil, address = nil)
        @lock.synchronize do
          @last = {}.freeze
          @failed = (attempt && address ? attempt.passed_over(address) : {}).freeze
        end
      end

      # Looks up the names of the hosts whose last attempt has failed, within the caller's deadline.
      #
      # @return [Boolean] whether one resolves to an address now that was not tried
      def address_changed?
        attempts = @last.values.map(&:dup)
        deadline = Deadlines.present
        address_changed = attempts.any?(&:begin_lookup)
        until address_changed || (running = attempts.select(&:lookup_running?)).empty? || (deadline && Waiting.now >= deadline)
          ready = Socket::Readiness.wait_for_any(running.map(&:wait), deadline)
          address_changed = running.select { |attempt| ready.any? { |wait| wait.equal?(attempt.wait) } }.any?(&:resume)
        end
        address_changed
      ensure
        attempts&.each(&:abandon)
      end
    end
    private_constant :NameWatch
  end
end
