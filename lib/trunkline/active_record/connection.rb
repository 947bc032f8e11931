# frozen_string_literal: true

require_relative "../pg/pg"
require_relative "connection/adapter_statements"
require_relative "connection/instrumented"
require_relative "read_position"
require_relative "result_types"

module Trunkline
  module ActiveRecord
    # What ActiveRecord uses as a connection, and applications get as raw_connection: a PG::Connection by its class and its methods' names, without
    # libpq. Queries use the connections of the client, which it shares with others; BEGIN, SET, LISTEN and the like reserve one for as long as
    # needed.
    class Connection < ::PG::Connection
      include PG::Shape
      include AdapterStatements

      # Methods that need libpq are removed: see {PG::Shape::Absent}.
      (::PG::Connection.instance_methods(false) - PG::Shape.instance_methods).each { |name| undef_method(name) }

      # Sends nothing.
      #
      # @param client [Postgres::Client] that sends its queries
      # @param config [Config] of the client
      # @param holder [#alive?] when it is not alive any more, a reserved connection may be closed
      # @param dates [Boolean] whether results contain Ruby's dates
      # @param reading [Boolean] whether it queries the replicas of the client
      # @return [Connection]
      def self.new(client, config, holder = Thread.current, dates: false, reading: false)
        Instrumented.follow(self)
        allocate.tap { |connection| connection.send(:initialize, client, config, holder, dates, reading) }
      end

      # @return [VirtualSession]
      attr_reader :session # :nodoc:

      # @return [Symbol] :utc or :local, of values without a time zone
      attr_reader :default_timezone # :nodoc:

      # @param zone [Symbol] :utc or :local
      def default_timezone=(zone) # :nodoc:
        @default_timezone = zone
        @map.add_coder(ResultTypes.timestamp(zone))
      end

      def initialize(client, config, holder, dates, reading)
        interface = Postgres::AdapterInterface.of(client)
        interface = interface.readers.for_adapter { ReadPosition.current } if reading
        @map = ResultTypes.map(dates: dates)
        begin_shape(interface, config, interface.virtual_session("ActiveRecord", Result, holder: holder), PG.const_get(:ConnectionTypes).new(@map))
        @default_timezone = :utc
      end

      private

      def namespace = ::PG

      def translated(error) = Errors.of(error, self)

      def bound(parameters) = parameters.any?(Hash) ? plain(parameters) : parameters

      # The values that pg takes as Hashes. Bytes are sent to a bytea unchanged.
      def plain(parameters)
        parameters.map do |value|
          next value unless value.is_a?(Hash)

          value[:format] == 1 ? value[:value].to_s.b : value[:value]&.to_s
        end
      end
    end
  end
end
