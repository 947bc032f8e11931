# frozen_string_literal: true

require_relative "../../trunk/lock"
require_relative "server_identity"

module Trunkline
  module Postgres
    # What a client with several hosts or a required role knows of its cluster: the system identifier and the highest timeline. A server that accepts
    # writes on a lower timeline is a former primary: what is written there is lost. New connections to it are refused. Open ones are closed as soon
    # as the higher timeline is known, before anything more is written to them.
    class ClusterTimeline # :nodoc:
      # @return [String, nil] the system identifier; nil: no server has reported it
      attr_reader :system

      # @return [Integer] the highest timeline seen; 0: none
      attr_reader :timeline

      def initialize
        @lock = Lock.new
        @trunks = ObjectSpace::WeakMap.new
        forget
      end

      # Forgets both: the cluster may be replaced by another, for example by an upgrade.
      #
      # @return [void]
      def forget
        @lock.synchronize do
          @system = @first = nil
          @timeline = 0
        end
      end

      # @param identity [ServerIdentity, nil] of the server of a new session; nil: not reported
      # @raise [WrongCluster] it belongs to another cluster
      # @raise [UnsuitableServer] it is a former primary
      def check(identity)
        return unless identity && @system
        raise WrongCluster.new(wrong_cluster(identity), server: identity.server, retriable: false) if identity.system != @system
        raise UnsuitableServer.new(former_primary(identity), server: identity.server) if identity.former_primary?(@timeline)
      end

      # Learns from a new connection, and closes those to former primaries.
      #
      # @param trunk [Trunk] new, not used yet
      # @param identity [ServerIdentity, nil]
      # @return [Trunk] the same
      # @raise [WrongCluster, UnsuitableServer] as {#check}: another connection was opened meanwhile
      def admit(trunk, identity)
        former = @lock.synchronize do
          check(identity)
          trunk.origin = identity
          @trunks[trunk] = trunk
          identity ? learn(identity) : []
        end
        end_all(former)
        trunk
      end

      # Learns from a server that was only probed, and closes the connections to former primaries.
      #
      # @param identity [ServerIdentity, nil]
      # @return [void]
      def observe(identity)
        end_all(@lock.synchronize { identity && identity.system == @system ? learn(identity) : [] })
      end

      private

      def end_all(former) = former.each { |old| old.lose("its server is a former primary: another was promoted") }

      def open_trunks = @trunks.keys.reject { |trunk| trunk.loss || trunk.inherited? }

      # @return [Array<Trunk>] whose servers are former primaries
      def learn(identity)
        @system ||= identity.system
        @first ||= identity.server
        return [] if identity.timeline <= @timeline

        @timeline = identity.timeline
        open_trunks.select { |trunk| trunk.origin&.former_primary?(@timeline) }
      end

      def wrong_cluster(identity)
        "the host list names servers of different clusters: this one has the system identifier #{identity.system}, and #{@first} had #{@system}; " \
          "correct the list or, where the cluster was replaced, call disconnect"
      end

      def former_primary(identity)
        "it takes writes on timeline #{identity.timeline}, and its cluster has been on timeline #{@timeline}: it is a former primary, and what is " \
          "written there is lost; where timeline #{@timeline} was abandoned on purpose, call disconnect"
      end
    end
    private_constant :ClusterTimeline
  end
end
