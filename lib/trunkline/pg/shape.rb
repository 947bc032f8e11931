# frozen_string_literal: true

require_relative "bytea"
require_relative "constants"
require_relative "report"
require_relative "result"
require_relative "connection/absent"
require_relative "connection/asking"
require_relative "connection/copying"
require_relative "connection/escaping"
require_relative "connection/notifying"
require_relative "connection/status"

module Trunkline
  module PG
    # The methods of PG::Connection, on a session that takes a connection of the server only while it needs one of its own.
    module Shape
      include Asking
      include Copying
      include Escaping
      include Notifying
      include Status
      include Absent

      # Ends whatever was left behind on a connection of its own: a transaction, settings, locks, temporary tables.
      def reset
        @session.reset
        @statements.clear
        self
      end
      alias async_reset reset
      alias sync_reset reset

      # @return [nil]
      def finish
        @session.reset
        @finished = true
        nil
      end
      alias close finish

      def finished? = @finished || @session.closed?

      # @return [String]
      def inspect = "#<#{self.class} #{@config.server}#{" with a connection of its own" if @session.pinned?}>"

      private

      # @param session [VirtualSession]
      # @param config [Config]
      def begin_shape(session, config)
        @config = config
        @session = session
        @statements = {}
        @receiver = @copy = @coder = nil
        @finished = false
      end

      # @return [Exception] pg's, of this name
      def failure(name, message) = namespace.const_get(name).new(message, connection: self)
    end
  end
end
