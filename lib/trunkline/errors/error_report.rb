# frozen_string_literal: true

require_relative "marked_line"

module Trunkline
  # The text of a server's error or notice, as psql and libpq write it: severity and message, the line of the statement with a caret under the
  # position, DETAIL, HINT, QUERY and CONTEXT. A statement that contains a password is cut at its first literal.
  class ErrorReport
    # @param fields [Hash{Symbol => String, Integer}] as {ServerError#fields}
    # @param sql [String, nil] the whole statement; nil: unknown
    # @param context [Boolean] whether CONTEXT is shown; libpq omits it in notices
    def initialize(fields, sql = nil, context: true)
      @fields = fields
      @context = context
      @marked_line = sql_line(sql)
    end

    # @return [String, nil] "LINE 1: ..." and, below, the caret
    attr_reader :marked_line

    # @return [String] all of it, ending with a newline
    def to_s = ["#{@fields[:severity] || "ERROR"}:  #{@fields[:message]}#{character}", *supplement].join("\n") << "\n"

    # @return [Array<String>] the lines after the message
    def supplement
      parts = { "DETAIL" => @fields[:detail], "HINT" => @fields[:hint], "QUERY" => discreet(:internal_query) }
      parts["CONTEXT"] = discreet(:where) if @context
      [marked_line, *parts.compact.map { |title, text| "#{title}:  #{text}" }].compact
    end

    private

    # A line of the statement, or of the statement that one of its functions has run.
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
