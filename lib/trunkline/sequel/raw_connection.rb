# frozen_string_literal: true

require_relative "likeness"

module Sequel
  module Trunkline
    # The methods of PG::Connection on the session of a {Connection}, for code that calls them in `synchronize`. Results and errors are the pg gem's
    # if that is loaded, else those of {::Trunkline::PG}.
    class RawConnection # :nodoc:
      include ::Trunkline::PG::Shape

      # @return [Boolean] whether it is a method of pg's connections that does not exist here
      def self.absent?(name) = Absent.name?(name) || Likeness.namespace::Connection.method_defined?(name, false)

      # @param source [Pool::Source]
      # @param session [::Trunkline::Postgres::VirtualSession] of its client
      # @param connection [Connection] that uses it, for errors
      def initialize(source, session, connection)
        @connection = connection
        @namespace = Likeness.namespace
        Likeness.recognize
        begin_shape(::Trunkline::Postgres::AdapterInterface.of(source.client), source.config, session)
      end

      private

      attr_reader :namespace

      def translated(error) = Likeness.foreign(error, @connection)
    end
    private_constant :RawConnection
  end
end
