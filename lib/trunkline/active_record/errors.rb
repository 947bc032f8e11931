# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # Trunkline's errors -> pg's, for ActiveRecord, applications and gems know these: their classes, what {PG::Error#result} says
    # of them, and the form of their messages. The error itself is the cause.
    module Errors # :nodoc:
      # What stands for the result of pg that an error is read from.
      class Report
        FIELDS = {
          ::PG::PG_DIAG_SEVERITY => :severity, ::PG::PG_DIAG_SQLSTATE => :sqlstate, ::PG::PG_DIAG_MESSAGE_PRIMARY => :message,
          ::PG::PG_DIAG_MESSAGE_DETAIL => :detail, ::PG::PG_DIAG_MESSAGE_HINT => :hint, ::PG::PG_DIAG_STATEMENT_POSITION => :position,
          ::PG::PG_DIAG_INTERNAL_POSITION => :internal_position, ::PG::PG_DIAG_INTERNAL_QUERY => :internal_query,
          ::PG::PG_DIAG_CONTEXT => :where, ::PG::PG_DIAG_SCHEMA_NAME => :schema, ::PG::PG_DIAG_TABLE_NAME => :table,
          ::PG::PG_DIAG_COLUMN_NAME => :column, ::PG::PG_DIAG_DATATYPE_NAME => :datatype,
          ::PG::PG_DIAG_CONSTRAINT_NAME => :constraint, ::PG::PG_DIAG_SOURCE_FILE => :file, ::PG::PG_DIAG_SOURCE_LINE => :line,
          ::PG::PG_DIAG_SOURCE_FUNCTION => :routine
        }.freeze
        private_constant :FIELDS

        # @param fields [Hash{Symbol => Object}] as {ServerError#fields}
        # @param error_message [String] what libpq would have written; without it that of a notice
        def initialize(fields, error_message = ErrorReport.new(fields, context: false).to_s)
          @fields = fields
          @error_message = error_message
        end

        # @param code [Integer] one of PG's PG_DIAG_ constants
        # @return [String, nil]
        def error_field(code) = @fields[FIELDS.fetch(code) { raise ArgumentError, "unknown error field #{code}" }]&.to_s
        alias result_error_field error_field

        # @return [String] as libpq writes it
        attr_reader :error_message
      end

      # The server has said so before it took the first query: there is no such database, the user may not connect to it, or no user may;
      # there is no such user, or it is another one.
      NO_DATABASE = %w[3D000 42501 55000].freeze
      REFUSED_USER = /\A28/
      CANCELLED = { severity: "ERROR", sqlstate: "57014" }.freeze
      OUTDATED = { sqlstate: "0A000", routine: "RevalidateCachedQuery" }.freeze
      # What pg puts before the names of conditions of these classes, and those that it shortens.
      PREFIXES = { "0F" => "LE", "2F" => "SRE", "38" => "ERE", "39" => "ERIE", "3B" => "SE", "40" => "TR" }.freeze
      SHORT = {
        "42P05" => "DuplicatePstatement", "42P14" => "InvalidPstatementDefinition", "2201E" => "InvalidArgumentForLog",
        "22014" => "InvalidArgumentForNtile", "22016" => "InvalidArgumentForNthValue", "39004" => "ERIENullValueNotAllowed",
        "40002" => "TRIntegrityConstraintViolation", "3B001" => "SEInvalidSpecification", "0F001" => "LEInvalidSpecification"
      }.freeze
      private_constant :NO_DATABASE, :REFUSED_USER, :CANCELLED, :OUTDATED, :PREFIXES, :SHORT

      module_function

      # @param error [Trunkline::Error, EncodingError]
      # @param connection [Connection]
      # @return [Exception] to be raised in its place
      def of(error, connection)
        case error
        when LoginError then refused(error, connection)
        when ServerError then error.sql ? reported(error, connection) : refused(error, connection)
        when Overloaded then ::ActiveRecord::ConnectionTimeoutError.new(error.message)
        when Deadline, Cancelled then ended(error, connection)
        when SharedStateError then ::PG::UnableToSend.new(error.message, connection: connection)
        when ConnectionError then error.sql ? gone(error, connection) : unreachable(error, connection)
        when EncodingError then encoding(error, connection)
        when ConfigError then error
        else lost(error, connection)
        end
      end

      def reported(error, connection)
        return report(::PG::FeatureNotSupported, { **error.fields, **OUTDATED }, connection) if error.is_a?(OutdatedStatement)

        report(class_for(error.class, error.sqlstate.to_s), error.fields, connection, error.report)
      end

      def report(error_class, fields, connection, text = ErrorReport.new(fields).to_s)
        result = Report.new(fields, text)
        error_class.new(result.error_message, connection: connection, result: result)
      end

      # pg's class of the same condition, or of its kind.
      def class_for(error_class, sqlstate)
        name = error_class.name.delete_prefix("Trunkline::")
        found = [SHORT[sqlstate], name, "#{PREFIXES[sqlstate[0, 2]]}#{name}"].compact.find { |candidate| ::PG.const_defined?(candidate, false) }
        return ::PG.const_get(found, false) if found

        error_class == ServerError ? ::PG::ServerError : class_for(error_class.superclass, sqlstate)
      end

      def ended(error, connection)
        report(::PG::QueryCanceled, { **CANCELLED, message: error.message }, connection)
      end

      def encoding(error, connection)
        report(::PG::CharacterNotInRepertoire, { severity: "ERROR", sqlstate: "22021", message: error.message }, connection)
      end

      # What ends with a line's end may have been carried out, what does not was never sent: that is how pg says it.
      def lost(error, connection)
        ::PG::ConnectionBad.new("#{error.message}#{"\n" if error.sent?}", connection: connection)
      end

      # @return [ActiveRecord::ActiveRecordError] what the stock adapter raises for a connection that could not be made
      def refused(error, connection)
        return ::ActiveRecord::NoDatabaseError.db_error(connection.db) if no_database?(error, connection)
        return ::ActiveRecord::DatabaseConnectionError.username_error(connection.user) if REFUSED_USER.match?(error.sqlstate)

        (connection.db == "postgres" ? ::ActiveRecord::ConnectionNotEstablished : ::ActiveRecord::DatabaseConnectionError).new(error.message)
      end

      # The stock adapter looks for the database's name in the message, as in that of pg_hba.conf, but where the database is postgres.
      def no_database?(error, connection)
        return false if connection.db == "postgres"

        NO_DATABASE.include?(error.sqlstate) || (connection.db != connection.user && error.fields[:message].to_s.include?("\"#{connection.db}\""))
      end

      # As with the stock adapter, whose message is libpq's: that names the host.
      def unreachable(error, connection)
        return ::ActiveRecord::ConnectionNotEstablished.new(error.message) unless connection.host && error.sqlstate.nil?

        ::ActiveRecord::DatabaseConnectionError.hostname_error(connection.host)
      end

      def gone(error, connection) = ::PG::ConnectionBad.new("#{error.message}\n", connection: connection)

      private_class_method :reported, :report, :class_for, :ended, :encoding, :lost, :refused, :no_database?, :unreachable, :gone
    end
    private_constant :Errors
  end
end
