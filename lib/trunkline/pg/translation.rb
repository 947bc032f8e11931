# frozen_string_literal: true

require_relative "report"

module Trunkline
  module PG
    # Converts Trunkline's errors to pg's, or to those of a replacement for it: their classes, their {Error#result}, and the form of their messages,
    # which contain no statement, as it may contain values. The error itself is the cause.
    class Translation # :nodoc:
      CANCELLED = { severity: "ERROR", sqlstate: "57014" }.freeze
      OUTDATED = { sqlstate: "0A000", routine: "RevalidateCachedQuery" }.freeze
      # pg's prefixes for conditions of these classes, and names that it shortens.
      PREFIXES = { "0F" => "LE", "2F" => "SRE", "38" => "ERE", "39" => "ERIE", "3B" => "SE", "40" => "TR" }.freeze
      SHORT = {
        "42P05" => "DuplicatePstatement", "42P14" => "InvalidPstatementDefinition", "2201E" => "InvalidArgumentForLog",
        "22014" => "InvalidArgumentForNtile", "22016" => "InvalidArgumentForNthValue", "39004" => "ERIENullValueNotAllowed",
        "40002" => "TRIntegrityConstraintViolation", "3B001" => "SEInvalidSpecification", "0F001" => "LEInvalidSpecification"
      }.freeze
      MISCOUNT = Postgres.const_get(:ParameterMiscount)
      private_constant :CANCELLED, :OUTDATED, :PREFIXES, :SHORT

      # @param namespace [Module] that has pg's classes
      def initialize(namespace) = @namespace = namespace

      # @param error [Trunkline::Error, EncodingError, ParameterMiscount]
      # @param connection [Object] of pg's shape
      # @return [Exception] to raise instead
      def of(error, connection)
        error.hide_sql if error.is_a?(::Trunkline::Error)
        case error
        when ::Trunkline::ServerError then error.sql ? reported(error, connection) : bad(error, connection, "\n")
        when ::Trunkline::Deadline, ::Trunkline::Cancelled then report(@namespace::QueryCanceled, { **CANCELLED, message: error.message }, connection)
        when ::Trunkline::SharedStateError, ::Trunkline::Overloaded then @namespace::UnableToSend.new(error.message, connection: connection)
        when ::Trunkline::ConnectionError then bad(error, connection, "\n")
        when MISCOUNT then miscounted(error, connection)
        when EncodingError then report(@namespace::CharacterNotInRepertoire, { severity: "ERROR", sqlstate: "22021", message: error.message }, connection)
        when ::Trunkline::ConfigError then error
        else bad(error, connection, error.sent? ? "\n" : "")
        end
      end

      private

      # pg's messages end with a newline if the request may have been executed, and without one if it was never sent.
      def bad(error, connection, ending) = @namespace::ConnectionBad.new("#{error.message}#{ending}", connection: connection)

      # In the server's words, for a statement without parameters, and for one with some.
      def miscounted(error, connection)
        name, sqlstate, message = if error.given.zero? then [:UndefinedParameter, "42P02", "there is no parameter $1"]
                                  else [:ProtocolViolation, "08P01", "bind message supplies #{error.given} parameters, but prepared statement \"\" requires #{error.expected}"]
                                  end
        report(@namespace.const_get(name), { severity: "ERROR", sqlstate: sqlstate, message: message }, connection)
      end

      def reported(error, connection)
        return report(@namespace::FeatureNotSupported, { **error.fields, **OUTDATED }, connection) if error.is_a?(::Trunkline::OutdatedStatement)

        report(class_for(error.class, error.sqlstate.to_s), error.fields, connection, error.report)
      end

      def report(error_class, fields, connection, text = ErrorReport.new(fields).to_s)
        result = Report.new(fields, text, failed: true)
        result.error = error_class.new(result.error_message, connection: connection, result: result)
      end

      # The class of the same condition, or of its category.
      def class_for(error_class, sqlstate)
        name = error_class.name.delete_prefix("Trunkline::")
        found = [Translation.name_of(name, sqlstate), name].find { |candidate| @namespace.const_defined?(candidate, false) }
        return @namespace.const_get(found, false) if found

        error_class == ::Trunkline::ServerError ? @namespace::ServerError : class_for(error_class.superclass, sqlstate)
      end

      # @param name [String] of the condition in this library
      # @return [String] pg's name for it: with a prefix, unless it stands for a whole class of conditions
      def self.name_of(name, sqlstate)
        prefix = PREFIXES[sqlstate[0, 2]] unless sqlstate.end_with?("000")
        SHORT[sqlstate] || (prefix ? "#{prefix}#{name.delete_prefix("ExternalRoutine")}" : name)
      end
    end
    private_constant :Translation
  end
end
