# frozen_string_literal: true

require_relative "../../trunk/lock"
require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # What a client knows of its hosts from its attempts to connect: which one worked last, which ones are tried last for a while, their roles, and
    # why they could not be connected to. It is thread-safe.
    class HostMemory # :nodoc:
      # Seconds for which a silent host is tried after the others: half of the 10 s within which one that has come back is used again, as connections to
      # a second choice are replaced after 5 to 9 s.
      SILENT_FOR = 5.0
      # role:: [String, nil] primary or standby, at the last connection
      # timeline:: [Integer, nil] at the last connection
      # error:: [String, nil] why the last attempt failed, or why the host is avoided
      # at:: [Float] time of that error
      # avoided_until:: [Float, nil] as it failed to do what was required
      # silent_until:: [Float, nil] as it did not answer, unless it does after all
      Known = Struct.new(:role, :timeline, :error, :at, :avoided_until, :silent_until, keyword_init: true)
      NOTHING = Known.new.freeze
      # seconds:: [Float] time that callers have waited in vain, counted once where several waited
      # till:: [Float] end of the last such wait
      Unanswered = Struct.new(:seconds, :till)
      NEVER = Unanswered.new(0.0, -Float::INFINITY).freeze
      ROLES = { "on" => "standby", "off" => "primary" }.freeze
      private_constant :SILENT_FOR, :Known, :NOTHING, :ROLES, :Unanswered, :NEVER

      # @return [Integer] how often a connection went to another host than the one before
      attr_reader :switches

      # @param config [Config]
      # @param random [Random] for load_balance_hosts
      def initialize(config, random)
        @config = config
        @random = random
        @lock = Lock.new
        @last_good = nil
        @switches = 0
        @known = {}
        @unanswered = {}
        @writes_refused_at = -Float::INFINITY
      end

      # @return [Array<Config::Host>] all of them: the one that worked last comes first, unless the order is random, and avoided ones come last
      def order
        hosts = balanced? ? @config.hosts.shuffle(random: @random) : @config.hosts
        @lock.synchronize do
          hosts.each_with_index.sort_by { |host, index| [avoided?(host) ? 1 : 0, preferred?(host) ? 0 : 1, index] }.map(&:first)
        end
      end

      # @return [Boolean] whether it is tried last for now
      def last?(host) = @lock.synchronize { avoided?(host) }

      # A connection was opened, also to a host that was silent in the search: it has answered after all.
      #
      # @param connection [Connection]
      # @param sought_at [Float] when its search began: where the host is avoided since, that is newer
      # @return [String, nil] label of the former connection's host, if that was another and hosts are tried in order
      def connected(connection, sought_at)
        host = host_of(connection.server) or return
        @lock.synchronize do
          known = known_of(host)
          next if ahead?(known.avoided_until) && known.at > sought_at

          identity = connection.identity
          role = identity ? ROLES[identity.recovery ? "on" : "off"] : ROLES[connection.parameters["in_hot_standby"]]
          @known[host] = Known.new(role: role, timeline: identity&.timeline, at: Waiting.now)
          @unanswered.delete(host)
          before = @last_good
          @last_good = host
          next if before.nil? || before.equal?(host) || balanced?

          @switches += 1
          before.server
        end
      end

      # An attempt has failed.
      #
      # @param host [Config::Host]
      # @param error [Error]
      # @return [void]
      def failed(host, error) = note(host, error.message)

      # The host had time to answer, and has sent nothing.
      #
      # @param host [Config::Host]
      # @return [void]
      def silent(host) = note(host, "it does not respond", silent_until: Waiting.now + SILENT_FOR)

      # The host has sent nothing to a caller that could not wait for longer.
      #
      # @param host [Config::Host]
      # @param since [Float] on the clock of Waiting.now
      # @param till [Float]
      # @return [void]
      def unanswered(host, since, till)
        @lock.synchronize do
          before = unanswered_of(host, since)
          @unanswered[host] = Unanswered.new(before.seconds + [till - [since, before.till].max, 0.0].max, [till, before.till].max)
        end
      end

      # @param host [Config::Host]
      # @return [Float] seconds for which it has sent nothing to such callers, one after another
      def unanswered_for(host) = @lock.synchronize { unanswered_of(host, Waiting.now).seconds }

      # The host failed to do what was required: it is tried last for a while.
      #
      # @param server [String]
      # @param reason [String]
      # @return [void]
      def avoid(server, reason) = @config.hosts.each { |host| note(host, reason, avoided_until: Waiting.now + SILENT_FOR) if host.server == server }

      # A server that would do has refused a write, as it is read-only.
      #
      # @return [void]
      def refused_write = @writes_refused_at = Waiting.now

      # @return [Boolean] whether that was so lately: where any server will do, one that accepts writes is preferred for a while
      def prefers_writable? = Waiting.now - @writes_refused_at < SILENT_FOR

      # @param open [Hash{String => Integer}] connections by label
      # @return [Array<Hash{Symbol => Object}>] plain values for each host, as {Client#stats} documents them
      def to_a(open)
        @lock.synchronize do
          @config.hosts.map do |host|
            known = known_of(host)
            { server: host.server, open: open.fetch(host.server, 0), role: known.role, timeline: known.timeline, last: host.equal?(@last_good),
              avoided: avoided?(host), error: known.error, ago: known.at && (Waiting.now - known.at) }
          end
        end
      end

      private

      def balanced? = @config.load_balance_hosts == "random"
      def known_of(host) = @known.fetch(host, NOTHING)

      def unanswered_of(host, time)
        found = @unanswered.fetch(host, NEVER)
        time - found.till > SILENT_FOR ? NEVER : found
      end

      def host_of(server) = @config.hosts.find { |host| host.server == server }
      def preferred?(host) = host.equal?(@last_good) && !balanced?
      def avoided?(host) = known_of(host).then { |known| ahead?(known.avoided_until) || ahead?(known.silent_until) }
      def ahead?(time) = !time.nil? && Waiting.now < time

      # Role and timeline are kept: they may still be valid.
      def note(host, error, **tried_last)
        @lock.synchronize do
          known = known_of(host)
          @unanswered.delete(host)
          @known[host] = Known.new(**known.to_h, error: error, at: Waiting.now, **tried_last)
        end
      end
    end
    private_constant :HostMemory
  end
end
