# frozen_string_literal: true

require_relative "session_functions"
require_relative "state_keepers"

module Trunkline
  module Postgres
    # What changes the session beside what is known: as the user says, once and for all.
    class NamedKeepers # :nodoc:
      # @return [Array<Array>] as Statement.new takes them
      attr_reader :to_a

      # @param names [Array<String>] of functions
      # @raise [ArgumentError]
      def initialize(names)
        @to_a = SessionFunctions.parse(names)
      end
    end

    # What changes the session beside what is known: as the server's catalogue says. It is asked before the first statement, which is classified
    # before there is a connection, and whether anything has changed when an epoch is over, or this client has defined something.
    class Detection # :nodoc:
      # @param epochs [PlanEpoch] the client's
      # @yieldparam script [String] of SQL
      # @yieldreturn [Array<Hash>] rows of its last statement
      def initialize(epochs, &query)
        @epochs = epochs
        @query = query
        @lock = Lock.new
        @keepers = @looked_at = @fingerprint = nil
        @looking = false
      end

      # @return [Array<Array>] as Statement.new takes them
      # @raise [Error] the server could not be asked; it is asked again the next time
      def to_a
        look unless @keepers
        @keepers
      end

      # @return [Boolean] whether something may have changed since it was last looked at, and no other caller looks
      def outdated? = @epochs.definitions != @looked_at && !@looking

      # Looks again.
      #
      # @return [Boolean] whether the keepers are others now
      # @raise [Error] the server could not be asked
      def renew
        before = @keepers
        @looking = true
        look
        !before.nil? && @keepers != before
      ensure
        @looking = false
      end

      private

      # What changes while it is read ends the epoch, or is seen in the next one.
      def look
        looked_at = @epochs.definitions
        fingerprint = @query.call(StateKeepers.fingerprint_script).first.values.first
        keepers = @keepers if fingerprint == @fingerprint
        keepers ||= StateKeepers.find(&@query)
        @lock.synchronize do
          @keepers = keepers
          @fingerprint = fingerprint
          @looked_at = looked_at
        end
      end
    end
    private_constant :NamedKeepers, :Detection
  end
end
