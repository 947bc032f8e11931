# frozen_string_literal: true

require_relative "bytea"
require_relative "connection_types"
require_relative "conninfo"
require_relative "constants"
require_relative "encrypted_password"
require_relative "queries"
require_relative "report"
require_relative "result"
require_relative "connection/absent"
require_relative "connection/executing"
require_relative "connection/copying"
require_relative "connection/escaping"
require_relative "connection/notifying"
require_relative "connection/large_objects"
require_relative "connection/mapping"
require_relative "connection/sending"
require_relative "connection/status"

module Trunkline
  module PG
    # The methods of PG::Connection, on a session that reserves a server connection only while it needs one.
    module Shape
      include Executing
      include Copying
      include Escaping
      include LargeObjects
      include Mapping
      include Notifying
      include Sending
      include Status
      include Absent

      # Resets a reserved connection: ends its transaction, and resets settings, locks and temporary tables.
      def reset
        end_sent
        @session.reset
        @statements.clear
        self
      end
      alias async_reset reset
      alias sync_reset reset

      # @return [nil]
      def finish
        raise FrozenError.new("can't modify frozen #{self.class}", receiver: self) if frozen?

        end_sent
        @session.reset
        @finished = true
        nil
      end
      alias close finish

      def finished? = @finished || @session.closed?

      # Its type maps and field names cannot be changed any more, and no query can be run.
      def freeze
        @types.freeze
        super
      end

      # @return [String]
      def inspect = "#<#{self.class} #{@config.server}#{" with a connection of its own" if @session.pinned?}>"

      private

      # @param interface [Postgres::AdapterInterface] of its client
      # @param config [Config] of that client
      # @param session [VirtualSession] of that client
      def begin_shape(interface, config, session, types = ConnectionTypes.new)
        @config = config
        @session = session
        @types = types
        @queries = Queries.new(interface, session)
        @statements = {}
        @receiver = @copy = @coder = @sent = @ready = @socket = nil
        @open_copy = false
        @finished = false
        @nonblocking = false
      end

      # Ends what was sent and is not waited for any more.
      def end_sent
        @sent&.cancel
        @sent&.abandon
        @copy&.abort if @open_copy
      ensure
        @sent = @ready = @copy = nil
        @open_copy = false
      end

      # @return [Exception] of pg's class with this name
      def failure(name, message) = namespace.const_get(name).new(message, connection: self)
    end
  end
end
