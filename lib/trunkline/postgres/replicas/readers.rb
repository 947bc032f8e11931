# frozen_string_literal: true

require_relative "adapter_reader"
require_relative "reader"

module Trunkline
  module Postgres
    # Makes the readers of a client's replicas.
    class Readers # :nodoc:
      # @param client [Client]
      # @param config [Config]
      # @param trunks [TrunkFactory] of its connections to the primary
      # @param primary [Pool] of these
      # @param sessions [Sessions] on these
      # @param limits [Hash] keywords of {Limits#initialize}; what waits for a server waits for the primary
      # @param connections [Integer] to each replica that are shared
      # @param most [Integer] to each in all
      # @param parts [Hash] as {Reader#initialize} takes them
      # @return [Readers]
      def self.of(client, config, trunks, primary, sessions, limits:, connections:, most:, **parts)
        pools = { connections: connections, most: most, limits: Limits.new(**limits, failover_wait: 0) }
        new(Internals.new(client), ReplicaSet.new(config, trunks, primary, *parts.values_at(:known, :responses), **pools), sessions, **parts)
      end

      # @return [ReplicaSet]
      attr_reader :set

      # @param client [Internals] of the client
      # @param set [ReplicaSet]
      # @param sessions [Sessions] on the primary
      # @param parts [Hash] as {Reader#initialize} takes them
      def initialize(client, set, sessions, **parts)
        @client = client
        @set = set
        @sessions = sessions
        @parts = parts
        @usual = reader
        @hedged = reader(hedge: true)
      end

      # @param options [Hash] of {ReadGuard#initialize}, and hedge, of {Reader#initialize}
      # @return [Reader]
      # @raise [ArgumentError] hedge is neither true nor false
      def with(**options)
        return @client.observe(@usual) if options.empty?

        hedge = checked_hedge(options.delete(:hedge) { false })
        return @client.observe(@hedged) if hedge && options.empty?

        @client.observe(reader(ReadGuard.new(**options), hedge: hedge))
      end

      # @yieldreturn [String, nil] the position that the caller's reads are to see at this moment
      # @return [AdapterReader]
      def for_adapter(&position) = @client.observe(AdapterReader.new(@client, @set, @sessions, **@parts, &position))

      # @return [Hash{Symbol => Object}] what {Client#stats} has of the replicas
      def to_h = { replicas: @set.stats }

      # @return [Array<Pool>]
      def pools = @set.pools

      private

      def checked_hedge(hedge)
        return hedge if true.equal?(hedge) || false.equal?(hedge)

        raise ArgumentError, "hedge must be true or false, not #{Argument.shown(hedge)}"
      end

      def reader(guard = ReadGuard.new, **options) = Reader.new(@client, @set, guard, @sessions, **@parts, **options)
    end
    private_constant :Readers
  end
end
