# frozen_string_literal: true

require_relative "../pg/pg"

module Trunkline
  module ActiveRecord
    # Trunkline's errors -> pg's, for ActiveRecord, applications and gems know these: their classes, what {PG::Error#result} says
    # of them, and the form of their messages. The error itself is the cause.
    module Errors # :nodoc:
      # The server has said so before it took the first query: there is no such database, the user may not connect to it, or no user may;
      # there is no such user, or it is another one.
      NO_DATABASE = %w[3D000 42501 55000].freeze
      REFUSED_USER = /\A28/
      PG_ERRORS = PG.const_get(:Translation).new(::PG)
      private_constant :NO_DATABASE, :REFUSED_USER, :PG_ERRORS

      module_function

      # @param error [Trunkline::Error, EncodingError]
      # @param connection [Connection]
      # @return [Exception] to be raised in its place
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

      # @return [ActiveRecord::ActiveRecordError] what the stock adapter raises for a connection that could not be made
      def refused(error, connection)
        return ::ActiveRecord::NoDatabaseError.db_error(connection.db) if no_database?(error, connection)
        return ::ActiveRecord::DatabaseConnectionError.username_error(connection.user) if REFUSED_USER.match?(error.sqlstate)

        (connection.db == "postgres" ? ::ActiveRecord::ConnectionNotEstablished : ::ActiveRecord::DatabaseConnectionError).new([error.message, *hint(error)].join("\n"))
      end

      def hint(error) = error.hint && "HINT:  #{error.hint}"

      # The stock adapter looks for the database's name in the message, as in that of pg_hba.conf, but where the database is postgres.
      def no_database?(error, connection)
        return false if connection.db == "postgres"

        NO_DATABASE.include?(error.sqlstate) || (connection.db != connection.user && error.fields[:message].to_s.include?("\"#{connection.db}\""))
      end

      # As with the stock adapter, which looks for the host in libpq's message: that has each of several with its reason, and not the list.
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
