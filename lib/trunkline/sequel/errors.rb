# frozen_string_literal: true

module Sequel
  module Trunkline
    # Converts a client's errors to Sequel's, with the message of Sequel's own adapter: all that the server reported, as psql shows it. It does not
    # contain the statement, as Sequel writes values into that; nor does the message of the client's error, which error trackers show too.
    module Errors
      # The connection is lost.
      DISCONNECTED = [::Trunkline::Indeterminate, ::Trunkline::NotSent, ::Trunkline::ConnectionError, ::Trunkline::Closed,
                      ::Trunkline::AdminShutdown, ::Trunkline::CrashShutdown].freeze
      private_constant :DISCONNECTED

      # The fields of the server's error.
      #
      # @param error [Sequel::DatabaseError, ::Trunkline::Error]
      # @return [Hash{Symbol => String, Integer, nil}] schema, table, column, constraint, type, severity, sql_state,
      #   message_primary, message_detail, message_hint, statement_position, internal_position, internal_query, source_file,
      #   source_line, source_function
      def error_info(error)
        error = error.wrapped_exception if error.is_a?(DatabaseError)
        fields = error.is_a?(::Trunkline::ServerError) ? error.fields : {}
        {
          schema: fields[:schema], table: fields[:table], column: fields[:column], constraint: fields[:constraint],
          type: fields[:datatype], severity: fields[:severity], sql_state: fields[:sqlstate], message_primary: fields[:message],
          message_detail: fields[:detail], message_hint: fields[:hint], statement_position: fields[:position],
          internal_position: fields[:internal_position], internal_query: fields[:internal_query],
          source_file: fields[:file], source_line: fields[:line], source_function: fields[:routine]
        }
      end

      private

      def check_database_errors
        yield
      rescue StandardError => error
        raise_error(error, classes: database_error_classes)
      end

      def raise_error(error, opts = OPTS)
        return super unless error.is_a?(::Trunkline::Error)

        told = database_error_class(error, opts).new("#{error.class}: #{text_of(error)}")
        Likeness.recognize
        told.wrapped_exception = error.extend(Likeness::OfError).as(Likeness.foreign(error))
        told.set_backtrace(error.backtrace)
        raise told
      end

      def text_of(error)
        return error.report if error.is_a?(::Trunkline::ServerError)

        [error.hide_sql.message, *("HINT:  #{error.hint}" if error.is_a?(::Trunkline::LoginError) && error.hint)].join("\n")
      end

      # Text that is not UTF-8 is refused before it is sent, as a server would refuse it.
      def database_error_classes = [::Trunkline::Error, EncodingError]
      def database_exception_sqlstate(error, _opts) = (error.sqlstate if error.is_a?(::Trunkline::Error))

      def disconnect_error?(error, opts) = super || DISCONNECTED.any? { |kind| error.is_a?(kind) }

      def database_specific_error_class(error, opts)
        return PoolTimeout if error.is_a?(::Trunkline::Overloaded)

        connecting?(error) ? DatabaseConnectionError : super
      end

      # No query was sent then.
      def connecting?(error) = [::Trunkline::ConnectionError, ::Trunkline::ServerError].any? { |kind| error.is_a?(kind) } && error.sql.nil?
    end
  end
end
