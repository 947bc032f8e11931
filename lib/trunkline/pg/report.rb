# frozen_string_literal: true

require_relative "constants"
require_relative "result"

module Trunkline
  module PG
    # Represents the result of a failed query, or a notice.
    class Report < Result
      FIELDS = {
        Constants::PG_DIAG_SEVERITY => :severity, Constants::PG_DIAG_SEVERITY_NONLOCALIZED => :severity, Constants::PG_DIAG_SQLSTATE => :sqlstate,
        Constants::PG_DIAG_MESSAGE_PRIMARY => :message, Constants::PG_DIAG_MESSAGE_DETAIL => :detail, Constants::PG_DIAG_MESSAGE_HINT => :hint,
        Constants::PG_DIAG_STATEMENT_POSITION => :position, Constants::PG_DIAG_INTERNAL_POSITION => :internal_position,
        Constants::PG_DIAG_INTERNAL_QUERY => :internal_query, Constants::PG_DIAG_CONTEXT => :where, Constants::PG_DIAG_SCHEMA_NAME => :schema,
        Constants::PG_DIAG_TABLE_NAME => :table, Constants::PG_DIAG_COLUMN_NAME => :column, Constants::PG_DIAG_DATATYPE_NAME => :datatype,
        Constants::PG_DIAG_CONSTRAINT_NAME => :constraint, Constants::PG_DIAG_SOURCE_FILE => :file, Constants::PG_DIAG_SOURCE_LINE => :line,
        Constants::PG_DIAG_SOURCE_FUNCTION => :routine
      }.freeze
      private_constant :FIELDS

      # @return [String] as libpq writes it
      attr_reader :error_message
      alias result_error_message error_message

      # @return [Exception, nil] that {#check} raises; nil for a notice
      attr_accessor :error # :nodoc:

      # @param fields [Hash{Symbol => Object}] as ServerError#fields
      # @param error_message [String] in libpq's form; by default, that of a notice
      def initialize(fields, error_message = ErrorReport.new(fields, context: false).to_s, failed: false)
        super([], Postgres.const_get(:Description).empty, nil)
        @fields = fields
        @error_message = error_message
        with_details(nil, status: failed ? PGRES_FATAL_ERROR : PGRES_NONFATAL_ERROR)
      end

      # @param code [Integer] one of PG's PG_DIAG_ constants
      # @return [String, nil]
      def error_field(code)
        raise TypeError, "no implicit conversion of #{code.class} into Integer" unless code.is_a?(Integer)

        @fields[FIELDS.fetch(code) { raise ArgumentError, "unknown error field #{code}" }]&.to_s
      end
      alias result_error_field error_field

      # @param verbosity [Integer] one of PG's PQERRORS_ constants
      # @param visibility [Integer] of the CONTEXT, one of PG's PQSHOW_CONTEXT_ constants
      # @return [String] as libpq writes it
      def verbose_error_message(verbosity = PQERRORS_DEFAULT, visibility = PQSHOW_CONTEXT_ERRORS)
        severity, message = @fields.values_at(:severity, :message)
        case verbosity
        when PQERRORS_SQLSTATE then "#{severity}:  #{@fields[:sqlstate] || message}\n"
        when PQERRORS_TERSE then ErrorReport.new(@fields.slice(:severity, :message, :position, :internal_position)).to_s
        when PQERRORS_VERBOSE then error_message.sub(/\A[^:]+:  /) { |start| "#{start}#{@fields[:sqlstate]}: " } + names.join
        else error_message
        end.then { |text| visibility == PQSHOW_CONTEXT_NEVER ? text.sub(/^CONTEXT:  .*?(?=^[A-Z ]+:  |\z)/m, "") : text }
      end
      alias result_verbose_error_message verbose_error_message

      # @return [nil] for a notice
      # @raise [PG::Error] for a failed query
      def check = (raise error if error)
      alias check_result check

      private

      def names
        titles = { "SCHEMA" => :schema, "TABLE" => :table, "COLUMN" => :column, "DATATYPE" => :datatype, "CONSTRAINT" => :constraint }
        named = titles.filter_map { |title, name| "#{title} NAME:  #{@fields[name]}\n" if @fields[name] }
        place = [@fields[:routine], [@fields[:file], @fields[:line]].compact.join(":")].compact.reject(&:empty?).join(", ")
        place.empty? ? named : [*named, "LOCATION:  #{place}\n"]
      end
    end
  end
end
