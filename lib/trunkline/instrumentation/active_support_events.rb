# frozen_string_literal: true

require "active_support"
require "active_support/notifications"
require_relative "../operation"

module Trunkline
  # A middleware that publishes each call to ActiveSupport::Notifications: "query.trunkline", "transaction.trunkline", and so on by the operation's
  # kind. The payload has kind, sql, server and operation, an {Operation}; after the call also rows and server_seconds, and an exception, as for all
  # its events.
  #
  #   db.use(Trunkline::ActiveSupportEvents)
  module ActiveSupportEvents
    # @param operation [Operation]
    def operation(operation) # :nodoc:
      payload = { kind: operation.kind, sql: operation.text, server: operation.server, operation: operation }
      ::ActiveSupport::Notifications.instrument("#{operation.kind}.trunkline", payload) do
        super
      ensure
        payload.update(rows: operation.rows, server_seconds: operation.server_seconds)
      end
    end
  end
end
