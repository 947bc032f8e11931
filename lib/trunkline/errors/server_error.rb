# frozen_string_literal: true

module Trunkline
  # An error reported by the server. Each SQLSTATE class (the first two characters) has a subclass of this, and each
  # condition that the server names has a subclass of that: UniqueViolation < IntegrityConstraintViolation.
  #
  # The message contains the server's primary message only. The other fields are in {#report}, {#detailed_message} and the readers; DETAIL in
  # particular may quote values from rows.
  class ServerError < Error
    # Conditions that are caused by other activity of the server. The first two roll back the transaction; the other two refuse a connection, so
    # nothing was done.
    RETRIABLE = %w[40001 40P01 53300 57P03].freeze
    # Conditions that end a session as the server shuts down or crashes. One that ended before its login was complete has done nothing.
    SHUTDOWN = %w[57P01 57P02].freeze
    private_constant :RETRIABLE, :SHUTDOWN

    # @return [Hash{Symbol => String, Integer}] all fields of the error: severity, sqlstate, message, detail, hint, position, internal_position,
    #   internal_query, where, schema, table, column, datatype, constraint, file, line, routine; those that the server omits are absent
    attr_reader :fields

    # @param fields [Hash{Symbol => String, Integer}] the fields of an ErrorResponse
    # @param sql [String, nil] the statement that failed
    # @param server [String, nil] label of the server
    # @return [ServerError] an instance of the condition's class, else of the class of its first two characters, else of
    #   ServerError itself (codes of success and warning, and codes of classes the server does not define)
    def self.from_fields(fields, sql: nil, server: nil, advice: nil)
      sqlstate = fields[:sqlstate].to_s
      error_class = BY_SQLSTATE[sqlstate] || BY_SQLSTATE["#{sqlstate[0, 2]}000"] || ServerError
      error_class.new(fields, sql: sql, server: server, advice: advice)
    end

    # @param fields [Hash{Symbol => String, Integer}, String] the fields of an ErrorResponse, or a message alone
    def initialize(fields = {}, sent: true, sql: nil, advice: nil, **context)
      fields = { message: fields } if fields.is_a?(String)
      @fields = fields.dup.freeze
      @report = ErrorReport.new(@fields, sql)
      message = @fields[:message] || "the server reported an error without a message"
      super(advice ? "#{message}: #{advice}" : message, sent: sent, sql: sql, **context)
    end

    # @return [String] all that the server reported, as psql shows it and as the message of the pg gem's error: severity and message, the line of the
    #   statement with a caret under the position, DETAIL, HINT, QUERY and CONTEXT
    def report = @report.to_s

    # @return [String, nil] the line of the statement that contains {#position}, or of the {#internal_query}, and a caret below it: "LINE 1: SELECT
    #   nam\n ^"; nil: the server reported no position, or a password might be shown
    def marked_line = @report.marked_line

    # @return [String, nil] the server's message without additions
    def primary_message = fields[:message]

    # @return [String, nil]
    def sqlstate = fields[:sqlstate]

    # @return [String, nil] ERROR, FATAL or PANIC, in English whatever the server's language
    def severity = fields[:severity]

    # @return [String, nil]
    def detail = fields[:detail]

    # @return [String, nil]
    def hint = fields[:hint]

    # @return [Integer, nil] position in the statement, in characters from 1
    def position = fields[:position]

    # @return [Integer, nil] position in {#internal_query}, in characters from 1
    def internal_position = fields[:internal_position]

    # @return [String, nil] the statement of a function that failed
    def internal_query = fields[:internal_query]

    # @return [String, nil] the call stack of functions
    def where = fields[:where]

    # @return [String, nil]
    def schema = fields[:schema]

    # @return [String, nil]
    def table = fields[:table]

    # @return [String, nil]
    def column = fields[:column]

    # @return [String, nil]
    def datatype = fields[:datatype]

    # @return [String, nil]
    def constraint = fields[:constraint]

    # @return [String, nil] the server's source file
    def file = fields[:file]

    # @return [Integer, nil] the line in {#file}
    def line = fields[:line]

    # @return [String, nil] the server's function
    def routine = fields[:routine]

    # @return [ServerError] the same for a request that was not sent, as its session was refused
    def unsent = self.class.new(fields, server: server, sent: false) # :nodoc:

    private

    def supplement = @report.supplement
    def retriable_by_nature? = RETRIABLE.include?(sqlstate) || (!sent? && SHUTDOWN.include?(sqlstate))
  end
end
