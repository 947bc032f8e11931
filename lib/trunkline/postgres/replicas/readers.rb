# frozen_string_literal: true

require_relative "../virtual_session/adapter_interface"
require_relative "adapter_reader_executor"
require_relative "reader_executor"

module Trunkline
  module Postgres
    # Creates the readers of a client's replicas.
    class Readers # :nodoc:
      # @param client [ClientExecutor]
      # @param config [Config]
      # @param trunks [TrunkFactory] of its connections to the primary
      # @param primary [Pool] of these
      # @param sessions [Sessions] on these
      # @param epochs [PlanEpoch] of the client
      # @param limits [Hash] keywords of {Limits#initialize}; failover_wait applies to the primary only
      # @param connections [Integer] shared ones to each replica
      # @param most [Integer] to each replica, in all
      # @param parts [Hash] as {ReaderExecutor#initialize} takes them
      # @return [Readers]
      def self.of(client, config, trunks, primary, sessions, epochs, limits:, connections:, most:, **parts)
        pools = { connections: connections, most: most, limits: Limits.new(**limits, failover_wait: 0) }
        new(client, ReplicaSet.new(config, trunks, primary, parts.fetch(:known), client.responses, **pools), sessions, epochs, **parts)
      end

      # @return [ReplicaSet]
      attr_reader :set

      # @param client [ClientExecutor]
      # @param set [ReplicaSet]
      # @param sessions [Sessions] on the primary
      # @param epochs [PlanEpoch] of the client
      # @param parts [Hash] as {ReaderExecutor#initialize} takes them
      def initialize(client, set, sessions, epochs, **parts)
        @client = client
        @set = set
        @sessions = sessions
        @epochs = epochs
        @parts = parts
        @usual = executor
        @reader = @usual.object
        @hedged = executor(hedge: true)
      end

      # @param options [Hash] of {ReadGuard#initialize}, and hedge, of {ReaderExecutor#initialize}
      # @return [Reader]
      # @raise [ArgumentError] hedge is neither true nor false
      def with(**options)
        if options.empty?
          @client.observe(@usual)
          return @reader
        end

        hedge = checked_hedge(options.delete(:hedge) { false })
        chosen = hedge && options.empty? ? @hedged : executor(ReadGuard.new(**options), hedge: hedge)
        @client.observe(chosen)
        chosen.object
      end

      # @yieldreturn [String, nil] the position that the caller's reads must see now
      # @return [AdapterInterface]
      def for_adapter(&position)
        executor = AdapterReaderExecutor.new(@client, @set, @sessions, **@parts, &position)
        @client.observe(executor)
        AdapterInterface.new(executor, @parts.fetch(:known), @epochs, @parts.fetch(:result_class)) { |location, holder, ended| executor.lease_at(location, holder, ended) }
      end

      # @return [Hash{Symbol => Object}] the replicas' part of {Client#stats}
      def to_h = { replicas: @set.stats }

      # @return [Array<Pool>]
      def pools = @set.pools

      private

      def checked_hedge(hedge)
        return hedge if true.equal?(hedge) || false.equal?(hedge)

        raise ArgumentError, "hedge must be true or false, not #{Argument.shown(hedge)}"
      end

      def executor(guard = ReadGuard.new, **options) = ReaderExecutor.new(@client, @set, guard, @sessions, **@parts, **options)
    end
    private_constant :Readers
  end
end
