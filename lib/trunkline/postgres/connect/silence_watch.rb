# frozen_string_literal: true

require_relative "../../trunk/attendance"
require_relative "../../trunk/fiber_owner"
require_relative "../../trunk/lock"
require_relative "../../trunk/waiting"
require_relative "host_probe"
require_relative "names/name_probe"
require_relative "peer_probe"

module Trunkline
  module Postgres
    # Checks servers that owe an answer and send nothing, for a client with several hosts. A frozen or disconnected machine closes no connection:
    # without a check, callers wait until TCP gives up, while another server may take their requests. So after some seconds the leader of such a
    # connection opens another one to the same host. If that is accepted, it also probes the other hosts: if one of them is on a higher timeline, the
    # connection leads to a former primary, and is closed. If none is, the statement just takes long, and the caller keeps waiting. If the host does not answer, the
    # connection is closed, and others to that host take no new requests.
    #
    # A single host that has a name may have moved: then its name is looked up first, and the server is probed only if that has changed.
    class SilenceWatch # :nodoc:
      # Seconds for which the finding of one connection's caller also applies to others; or the silence after which servers are checked, if that is
      # less. As long as a check may take: so there is at most one probe a second to a host, however many connections wait for it.
      COUNTS_FOR = Socket::TCP::ANSWER
      # Seconds after which a caller checks whether another one has a finding: a twentieth of what a check may take, 20 wake-ups a second for each
      # connection that waits meanwhile.
      POLL_INTERVAL = COUNTS_FOR / 20
      # Longest time in seconds between two checks while the server behind a pooler does not answer. With a check that takes a second, callers
      # continue within two seconds of a promotion (switchover_test.rb).
      UNANSWERED = Socket::TCP::ANSWER
      # A probe, the attendance of the caller that runs it, and its finding.
      Check = Struct.new(:generation, :probe, :runner, :finding, :ended_at) do
        def running? = !runner.nil? && !runner.dropped?
      end
      private_constant :COUNTS_FOR, :POLL_INTERVAL, :UNANSWERED, :Check

      # @return [Float] seconds of silence after which a server is checked
      attr_reader :after

      # @param config [Config]
      # @param seconds [Float] of silence after which a server is checked; Float::INFINITY: never
      # @param cluster [ClusterTimeline, nil] that the hosts must belong to; nil: the others are not probed
      # @yieldparam trunk [Trunk] whose host is not reachable
      def initialize(config, seconds, cluster = nil, &unreachable)
        @config = config
        @cluster = cluster
        @after = config.others? || config.named? ? seconds : Float::INFINITY
        @unreachable = unreachable
        @lock = Lock.new
        @checks = {}
      end

      # Checks whether the server is reachable, until there is a finding, something arrives on the trunk, or the deadline of a caller passes. Called
      # by the trunk's leader.
      #
      # @param trunk [Trunk] that has waited for its server
      # @return [void]
      def check(trunk)
        by = trunk.state.earliest_timeout
        check = take(trunk, runner = Attendance.new(FiberOwner.new))
        return Socket::Readiness.wait_readable(trunk.io, [by, Waiting.now + POLL_INTERVAL].compact.min) unless check
        return conclude(trunk, check.finding) if check.finding

        note(trunk, check, check.probe.run(trunk.io, by) { |identity| @cluster.observe(identity) }) # which may close this trunk, too
      ensure
        check.runner = nil if check && check.runner.equal?(runner)
      end

      private

      # @return [Check, nil] nil: another caller runs it
      def take(trunk, runner)
        left = nil
        check = @lock.synchronize do
          @checks.delete_if { |_, old| outdated?(old) }
          check = @checks[key = [trunk.server, address_of(trunk)]]
          next if check&.running? && !check.finding

          check = @checks[key] = begin_anew(trunk, left = check&.probe) unless check && (check.finding || check.probe.continuable?)
          check.runner = runner unless check.finding
          check
        end
        left&.abandon
        check
      end

      def outdated?(check)
        check.generation != Trunkline.process_generation || (check.finding && Waiting.now - check.ended_at > [COUNTS_FOR, @after].min)
      end

      def begin_anew(trunk, before)
        before = nil unless before.is_a?(HostProbe)
        probe = !@config.others? && address_of(trunk) ? NameProbe.new(host_of(trunk), address_of(trunk)) : host_probe(trunk, before)
        Check.new(Trunkline.process_generation, probe)
      end

      # The name may resolve to another address now, or the lookup may fail.
      def host_probe(trunk, before = nil)
        host = host_of(trunk)
        address, port = address_of(trunk)
        HostProbe.new(@config, address ? Config::Host.new(host.host, address, port, @config.dbname) : host, before)
      end

      def host_of(trunk) = @config.hosts.find { |candidate| candidate.server == trunk.server }

      # @return [Array(String, Integer), nil] address and port; nil: it is a Unix socket, or not connected any more
      def address_of(trunk)
        NameLookup.address_and_port(trunk.io.remote_address) unless host_of(trunk).unix_socket?
      rescue SystemCallError, IOError
        nil
      end

      def note(trunk, check, finding)
        return unless finding

        check.probe.abandon
        return if (further = further_probe(trunk, check.probe, finding)) && (check.probe = further)

        check.ended_at = Waiting.now
        check.finding = finding
        @unreachable.call(trunk) if finding == :unreachable
        conclude(trunk, finding)
      end

      # @return [HostProbe, PeerProbe, nil] nil: there is nothing more to check
      def further_probe(trunk, probe, finding)
        return host_probe(trunk) if finding == :changed
        return if finding != :reachable || probe.is_a?(PeerProbe) || @cluster.nil? || !@config.others?

        PeerProbe.new(@config, @config.hosts.reject { |host| host.server == trunk.server }, @cluster, pooled: (host_of(trunk) if pooled?(trunk)))
      end

      def pooled?(trunk) = trunk.pooled || trunk.origin&.pooled?(trunk.server_process)

      def conclude(trunk, finding)
        return if trunk.loss
        return trunk.state.postpone_silence_probe(seconds_until_next_check(trunk, finding)) unless finding == :unreachable

        seconds = format("%.1f", trunk.state.silent_for)
        trunk.lose("the server has sent nothing for #{seconds} s, and does not respond to a new connection either (silence)")
      end

      # A server that is reachable is checked again when the silence has lasted for twice as long.
      def seconds_until_next_check(trunk, finding)
        case finding
        when :reachable then [trunk.state.silent_for, @after].max
        when :unchanged then @after
        else [@after, UNANSWERED].min
        end
      end
    end
    private_constant :SilenceWatch
  end
end
