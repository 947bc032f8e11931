# frozen_string_literal: true

require_relative "missed_changes"

module Trunkline
  module Memcached
    # Prepares a server that answers again before it is used: keys that this client has changed on other servers meanwhile are deleted on it, and on
    # these servers too, which would have an old value at the next outage. If there are more of them than {MissedChanges} keeps, the policy decides:
    #
    # :flushed:: it is not used until it was flushed or restarted
    # :flush:: this client flushes it
    # :stale:: it is used, although other keys may have old values
    class Failback
      POLICIES = %i[flushed flush stale].freeze
      # Keys that one request deletes, a bound: it takes 0.6 ms, half as many take 0.3 and twice as many 1.3 (the least of 25, load 30), and other callers'
      # requests wait behind it.
      CHUNK = 1000
      # How many requests are made for fewer keys than that, each for keys that were changed during the one before; then the last keys are deleted
      # without waiting for the answer: while other callers change keys, there are always some. It is a bound; each round is one round trip, in which
      # few keys change.
      LAST_ROUNDS = 3
      private_constant :CHUNK, :LAST_ROUNDS

      # @param policy [Symbol]
      # @return [Symbol]
      # @raise [ArgumentError] there is no such policy
      def self.checked(policy)
        return policy if POLICIES.include?(policy)

        raise ArgumentError, "failback must be #{POLICIES.map(&:inspect).join(", ")}, not #{Argument.shown(policy)}"
      end

      # @param policy [Symbol]
      # @param name [String] of the server
      # @param report [#call] takes an error, once, if the server is not used
      # @yieldparam request [Request] for the server
      # @yieldreturn [Boolean] whether it was answered
      def initialize(policy, name, report, &perform)
        @policy = policy
        @name = name
        @report = report
        @perform = perform
        @missed = MissedChanges.new
        @held = @emptiness = nil
      end

      # @return [MissedChanges]
      attr_reader :missed

      # @return [Boolean] whether the server answers, but is not used because of old values
      def held? = !@held.nil?

      # @return [ConnectionError, nil] the reason
      attr_reader :held

      # Deletes the keys, except for those that are deleted with the next request.
      #
      # @return [Boolean] false: the server is not used yet
      def prepared?
        return false if @missed.incomplete? && !rid_of_unknown?

        rounds = 0
        until (entries = @missed.first(CHUNK)).empty? || (rounds >= LAST_ROUNDS && entries.size < CHUNK)
          rounds += 1 if entries.size < CHUNK
          return false unless delete(entries)

          @missed.remove(entries)
        end
        true
      end

      # The server was emptied.
      def flushed
        @missed.clear
        @held = @emptiness = nil
      end

      # Deletes keys on the servers that have received their changes.
      #
      # @param entries [Array<Array(String, Array<Server>)>]
      def clear_stand_ins(entries)
        by_server = Hash.new { |servers, server| servers[server] = [] }
        entries.each { |key, stand_ins| stand_ins.each { |server| by_server[server] << key } }
        by_server.each { |server, keys| server.forget(keys) }
      end

      private

      def delete(entries)
        return false unless @perform.call(Request.delete_many(entries.map(&:first), ""))

        clear_stand_ins(entries)
        true
      end

      def rid_of_unknown?
        unless @missed.all?
          return true if @policy == :stale
          return emptied? if @policy == :flushed
        end

        @perform.call(Request.line("flush_all 0", "OK")) && flushed.nil?
      end

      # Whether the server was flushed or restarted since it was first checked. Statistics that a server returns just after it was resumed are out of
      # date, as its clock may not have advanced yet: it may seem to have started later than it did.
      def emptied?
        request = Request.statistics("stats")
        return false unless @perform.call(request)

        emptiness = request.answer.values_at("cmd_flush", "pid")
        return flushed.nil? if held? && emptiness != @emptiness

        @emptiness = emptiness
        false
      ensure
        @report.call(@held = held_error) if @emptiness && !@held
      end

      def held_error
        ConnectionError.new("the server answers again, but while it was down this client changed more keys than it records: it is not " \
                            "used until it is flushed (flush_all) or restarted, unless failback: says otherwise", server: @name)
      end
    end
    private_constant :Failback
  end
end
