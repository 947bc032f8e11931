# frozen_string_literal: true

require_relative "session_functions"
require_relative "state_keepers"

module Trunkline
  module Postgres
    # Functions that change the session, besides the known ones, as the user lists them.
    class NamedKeepers # :nodoc:
      # @return [Array<Array>] as Statement.new takes them
      attr_reader :to_a

      # @param names [Array<String>] of functions
      # @raise [ArgumentError]
      def initialize(names)
        @to_a = SessionFunctions.parse(names)
      end
    end

    # Objects that change the session, besides the known ones, as the server's catalogue shows. It is queried before the first statement is
    # classified, which is before there is a connection, and queried for changes when an epoch is over or this client has executed DDL.
    class Detection # :nodoc:
      # @param epochs [PlanEpoch] the client's
      # @yieldparam script [String] of SQL
      # @yieldreturn [Array<Hash>] rows of its last statement
      def initialize(epochs, &query)
        @epochs = epochs
        @query = query
        @lock = Lock.new
        @keepers = @queried_at = @fingerprint = nil
        @querying = false
      end

      # @return [Array<Array>] as Statement.new takes them
      # @raise [Error] the query failed; it is repeated the next time
      def to_a
        query_keepers unless @keepers
        @keepers
      end

      # @return [Boolean] whether something may have changed since the last query, and no other caller runs one
      def outdated? = @epochs.definitions != @queried_at && !@querying

      # Queries the catalogue again.
      #
      # @return [Boolean] whether the keepers have changed
      # @raise [Error] the query failed
      def renew
        before = @keepers
        @querying = true
        query_keepers
        !before.nil? && @keepers != before
      ensure
        @querying = false
      end

      private

      # A change during the query ends the epoch, or is found in the next one.
      def query_keepers
        queried_at = @epochs.definitions
        fingerprint = @query.call(StateKeepers.fingerprint_script).first.values.first
        keepers = @keepers if fingerprint == @fingerprint
        keepers ||= StateKeepers.find(&@query)
        @lock.synchronize do
          @keepers = keepers
          @fingerprint = fingerprint
          @queried_at = queried_at
        end
      end
    end
    private_constant :NamedKeepers, :Detection
  end
end
