# frozen_string_literal: true

require_relative "backend_messages"

module Trunkline
  # Messages of a PostgreSQL server in an established session.
  module QueryMessages
    INT8 = 20
    INT2 = 21
    INT4 = 23
    TEXT = 25
    OID = 26
    BYTEA = 17
    FLOAT8 = 701

    def frame(type, body = "") = BackendMessages.message(type, body)

    def ready(status = "I") = frame("Z", status)
    def parse_complete = frame("1")
    def bind_complete = frame("2")
    def close_complete = frame("3")
    def no_data = frame("n")
    def empty_query = frame("I")
    def complete(tag = "SELECT 1") = frame("C", "#{tag}\0")
    def parameter_status(name, value) = BackendMessages.parameter(name, value)
    def parameter_description(*types) = frame("t", [types.size, *types].pack("nN*"))
    def notification(channel, payload) = frame("A", [4711].pack("N") + "#{channel}\0#{payload}\0")
    def notice(text) = BackendMessages.error("N", S: "NOTICE", V: "NOTICE", C: "00000", M: text)
    def failure(sqlstate = "22012", text = "it failed") = BackendMessages.error("E", S: "ERROR", V: "ERROR", C: sqlstate, M: text)

    # @param columns [Hash{Symbol => Integer}] names and types
    def row_description(columns)
      frame("T", [columns.size].pack("n") + columns.map { |name, type| "#{name}\0".b + [0, 0, type, -1, -1, 0].pack("NnNs>l>n") }.join)
    end

    # @param values [Array<String, nil>]
    def data_row(*values) = frame("D", [values.size].pack("n") + sized(values))

    # The complete answer to a statement that is prepared in the same flight.
    def first_answer(columns, *rows, types: [])
      parse_complete + parameter_description(*types) + row_description(columns) + later_answer(*rows)
    end

    # The complete answer to a statement without a plan that is prepared in the same flight: its portal is described, too.
    def first_command(tag, status = "I")
      parse_complete + parameter_description + no_data + later_command(tag, status)
    end

    # The complete answer to a prepared statement without a plan.
    def later_command(tag, status = "I") = bind_complete + no_data + complete(tag) + ready(status)

    # The complete answer to a statement with a plan that returns no rows and is prepared in the same flight.
    def first_change(tag, status = "I", types: [])
      parse_complete + parameter_description(*types) + no_data + bind_complete + complete(tag) + ready(status)
    end

    # The complete answer to a prepared statement.
    def later_answer(*rows)
      bind_complete + rows.map { |row| data_row(*row) }.join + complete("SELECT #{rows.size}") + ready
    end

    private

    def sized(values) = values.map { |value| value ? [value.bytesize, value.b].pack("Na*") : [-1].pack("l>") }.join
  end

  # The messages that a client must send.
  module FrontendMessages
    def parse(name, sql, *types) = "P".b + counted("#{name}\0#{sql}\0".b + [types.size, *types].pack("nN*"))
    def describe(name) = "D".b + counted("S#{name}\0")
    def describe_portal(name = "") = "D".b + counted("P#{name}\0")
    def close(name) = "C".b + counted("S#{name}\0")
    def execute = "E".b + counted("\0\0\0\0\0")
    def flush = "H".b + counted("")
    def sync = "S".b + counted("")
    def simple_query(sql) = "Q".b + counted("#{sql}\0")
    def terminate = "X".b + counted("")

    # @param values [Array<String, nil>] as they travel
    # @param formats [Array<Integer>] of the values; none: all are text
    # @param binary [Boolean] format of the results
    def bind(name, values = [], formats: [], binary: false)
      sized = values.map { |value| value ? [value.bytesize, value.b].pack("Na*") : "\xFF\xFF\xFF\xFF".b }.join
      "B".b + counted("\0#{name}\0".b + [formats.size, *formats, values.size].pack("n*") + sized + [1, binary ? 1 : 0].pack("nn"))
    end

    def execution(name, values = [], **options) = bind(name, values, **options) + execute + sync

    def first_execution(name, sql, values = [], **options)
      parse(name, sql) + describe(name) + execution(name, values, **options)
    end

    private

    def counted(body) = [body.bytesize + 4].pack("N") + body.b
  end
end
