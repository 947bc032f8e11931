# frozen_string_literal: true

require_relative "marked_line"

module Trunkline
  # What a server says of an error or a notice, as psql and libpq write it: severity and message, the line of the statement with a caret under
  # the position, DETAIL, HINT, QUERY and CONTEXT. Of statements that hold a password nothing is shown from their first literal on.
  class ErrorReport
    # @param fields [Hash{Symbol => String, Integer}] as {ServerError#fields}
    # @param sql [String, nil] the whole statement; nil: it is not known
    # @param context [Boolean] whether CONTEXT is shown; libpq leaves it out of notices
    def initialize(fields, sql = nil, context: true)
      @fields = fields
      @context = context
      @marked_line = sql_line(sql)
    end

    # @return [String, nil] "LINE 1: ..." and, below, the caret
    attr_reader :marked_line

    # @return [String] all of it, with an end of line
    def to_s = ["#{@fields[:severity] || "ERROR"}:  #{@fields[:message]}#{character}", *supplement].join("\n") << "\n"

    # @return [Array<String>] what stands below the message
    def supplement
      parts = { "DETAIL" => @fields[:detail], "HINT" => @fields[:hint], "QUERY" => discreet(:internal_query) }
      parts["CONTEXT"] = discreet(:where) if @context
      [marked_line, *parts.compact.map { |title, text| "#{title}:  #{text}" }].compact
    end

    private

    # The statement's, or that of what a function of it has run.
    def sql_line(sql)
      return MarkedLine.of(sql, @fields[:position]) if sql && @fields[:position]

      MarkedLine.of(@fields[:internal_query], @fields[:internal_position]) if @fields[:internal_query] && !@fields[:position]
    end

    def character
      position = @fields[:position] || @fields[:internal_position]
      " at character #{position}" if position && !marked_line
    end

    def discreet(name) = @fields[name] && ShortenedSQL.discreet(@fields[name])
  end
  private_constant :ErrorReport
end
