# frozen_string_literal: true

require_relative "channel"

module Trunkline
  module Postgres
    # Sends notifications. Includers have `query`.
    module Notifying
      # Notifies all listeners of a channel, in any session of the database; within a transaction, when that is committed.
      #
      # @param channel [String, Symbol] case-sensitive
      # @param payload [#to_s, nil] fewer than 8000 bytes
      # @return [nil]
      # @raise [ArgumentError, TypeError, EncodingError] the name is invalid
      # @raise [Error] as {Querying#query}: a payload that is too long is an {InvalidParameterValue}
      def notify(channel, payload = nil)
        query("SELECT pg_catalog.pg_notify($1, $2)", Channel.name(channel), Argument.text(payload, "the payload"))
        nil
      end
    end
  end
end
