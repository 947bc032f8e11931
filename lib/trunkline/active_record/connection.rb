# frozen_string_literal: true

require_relative "connection/asking"
require_relative "connection/copying"
require_relative "connection/escaping"
require_relative "connection/notifying"
require_relative "connection/status"

module Trunkline
  module ActiveRecord
    # What ActiveRecord takes for a connection, and applications get as raw_connection: a PG::Connection by its class and the names
    # of its methods, and no connection at all. libpq is never asked. Queries go over the connections of the client that it shares
    # with others; BEGIN, SET, LISTEN and the like take one of its own, for as long as it is needed.
    class Connection < ::PG::Connection
      include Asking
      include Copying
      include Escaping
      include Notifying
      include Status

      # Nothing is sent.
      #
      # @param client [Postgres::Client] what it asks
      # @param config [Config] of the same
      # @param holder [#alive?] when it is not alive any more, a connection of its own may be closed
      # @return [Connection]
      def self.new(client, config, holder = Thread.current) = allocate.tap { |connection| connection.send(:initialize, client, config, holder) }

      # @return [VirtualSession]
      attr_reader :session # :nodoc:

      # @return [Symbol] :utc or :local, of values without a time zone
      attr_accessor :default_timezone # :nodoc:

      def initialize(client, config, holder)
        @config = config
        @session = client.virtual_session("ActiveRecord", Result, holder: holder)
        @statements = {}
        @receiver = @copy = @coder = nil
        @default_timezone = :utc
        @finished = false
      end

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

      # Whatever libpq would have been asked for is told by name, rather than that the connection is closed.
      (::PG::Connection.instance_methods(false) - instance_methods(false) - included_modules.take(5).flat_map(&:instance_methods)).each do |name|
        define_method(name) do |*, **|
          raise NotImplementedError, "PG::Connection##{name} is not there with adapter: trunkline. Open a PG::Connection for it."
        end
      end
    end
  end
end
