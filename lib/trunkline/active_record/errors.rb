# frozen_string_literal: true

require_relative "../pg/pg"

module Trunkline
  module ActiveRecord
    # Converts Trunkline's errors to pg's, which ActiveRecord, applications and gems know: their classes, their {PG::Error#result}, and the form of
    # their messages. The error itself is the cause.
    module Errors # :nodoc:
      # SQLSTATEs of a refused login: the database does not exist, the user may not connect to it, or no user may; the user does not exist, or the
      # authentication failed.
      NO_DATABASE = %w[3D000 42501 55000].freeze
      REFUSED_USER = /\A28/
      PG_ERRORS = PG.const_get(:Translation).new(::PG)
      private_constant :NO_DATABASE, :REFUSED_USER, :PG_ERRORS

      module_function

      # @param error [Trunkline::Error, EncodingError]
      # @param connection [Connection]
      # @return [Exception] to raise instead
      def of(error, connection)
        error.hide_sql if error.is_a?(Error)
        case error
        when LoginError then refused(error, connection)
        when ServerError then error.sql ? PG_ERRORS.of(error, connection) : refused(error, connection)
        when Overloaded then ::ActiveRecord::ConnectionTimeoutError.new(error.message)
        when ConnectionError then error.sql ? PG_ERRORS.of(error, connection) : unreachable(error, connection)
        else PG_ERRORS.of(error, connection)
        end
      end

      # @return [ActiveRecord::ActiveRecordError] that the stock adapter raises for a failed connection attempt
      def refused(error, connection)
        return ::ActiveRecord::NoDatabaseError.db_error(connection.db) if no_database?(error, connection)
        return ::ActiveRecord::DatabaseConnectionError.username_error(connection.user) if REFUSED_USER.match?(error.sqlstate)

        (connection.db == "postgres" ? ::ActiveRecord::ConnectionNotEstablished : ::ActiveRecord::DatabaseConnectionError).new([error.message, *hint(error)].join("\n"))
      end

      def hint(error) = error.hint && "HINT:  #{error.hint}"

      # The stock adapter searches for the database's name in the message, as in one about pg_hba.conf, unless the database is postgres.
      def no_database?(error, connection)
        return false if connection.db == "postgres"

        NO_DATABASE.include?(error.sqlstate) || (connection.db != connection.user && error.fields[:message].to_s.include?("\"#{connection.db}\""))
      end

      # As with the stock adapter, which searches for the host in libpq's message: that contains each of several hosts with its reason, and not the
      # list.
      def unreachable(error, connection)
        named = connection.host && error.reasons.size < 2
        return ::ActiveRecord::ConnectionNotEstablished.new(error.message) unless named && error.sqlstate.nil? && error.retriable?

        ::ActiveRecord::DatabaseConnectionError.hostname_error(connection.host)
      end

      private_class_method :refused, :hint, :no_database?, :unreachable
    end
    private_constant :Errors
  end
end
