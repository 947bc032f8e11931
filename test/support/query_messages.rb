# frozen_string_literal: true

require_relative "backend_messages"

module Trunkline
  # What a PostgreSQL server answers once a session runs, and what a client is expected to send for it.
  module QueryMessages
    include BackendMessages

    INT2 = 21
    INT4 = 23
    INT8 = 20
    TEXT = 25
    OID = 26
    BYTEA = 17
    FLOAT8 = 701

    # --- from the server ---

    def parse_complete = message("1")

    def bind_complete = message("2")

    def close_complete = message("3")

    def no_data = message("n")

    def empty_query = message("I")

    def complete(tag = "SELECT 1") = message("C", "#{tag}\0")

    def parameter_description(*types) = message("t", [types.size, *types].pack("nN*"))

    # @param columns [Hash{String => Integer}] names and type OIDs
    def row_description(**columns)
      message("T", [columns.size].pack("n") + columns.map { |name, type| column(name.to_s, type) }.join)
    end

    def column(name, type) = "#{name.b}\0".b + [0, 0, type, -1, -1, 0].pack("NnNs>l>n")

    # @param values [Array<String, nil>]
    def data_row(*values)
      message("D", [values.size].pack("n") + values.map { |value| value ? [value.bytesize, value.b].pack("Na*") : [-1].pack("l>") }.join)
    end

    def notice(text = "look") = error("N", S: "NOTICE", V: "NOTICE", C: "00000", M: text)

    def notification(channel = "jobs", payload = "") = message("A", [1].pack("N") + "#{channel}\0#{payload}\0")

    def failure(sqlstate = "22012", text = "division by zero") = error("E", S: "ERROR", V: "ERROR", C: sqlstate, M: text)

    # The whole answer to a statement that is prepared on the way.
    def first_answer(row, types: [], **columns)
      parse_complete + parameter_description(*types) + row_description(**columns) + later_answer(row)
    end

    # The whole answer to a statement that is known.
    def later_answer(row) = bind_complete + data_row(*row) + complete + ready

    # --- from the client ---

    def parse(name, sql, *types) = message("P", "#{name}\0#{sql}\0".b + [types.size, *types].pack("nN*"))

    def describe(name) = message("D", "S#{name}\0")

    def close(name) = message("C", "S#{name}\0")

    def execute = message("E", "\0" + [0].pack("N"))

    def sync = message("S")

    def simple_query(sql) = message("Q", "#{sql}\0")

    def terminate = message("X")

    # @param formats [Array<Integer>] of the parameters; empty: all are text
    # @param values [Array<String, nil>]
    # @param binary [Boolean] the format asked for
    def bind(name, values = [], formats: [], binary: false)
      sized = values.map { |value| value ? [value.bytesize, value.b].pack("Na*") : [-1].pack("l>") }.join
      message("B", "\0#{name}\0".b + [formats.size, *formats, values.size].pack("n*") + sized + [1, binary ? 1 : 0].pack("nn"))
    end

    # Bind, Execute, Sync.
    def execution(name, values = [], **options) = bind(name, values, **options) + execute + sync
  end

  # A codec without a server, for tests: requests go in by `ask`, the server's bytes by `hear`.
  module CodecTesting
    include QueryMessages

    LIMIT = 1 << 20

    attr_reader :codec

    def setup
      super
      @codec = new_codec
      @slots = 0
    end

    def new_codec(parameters = {}, limit: LIMIT) = Postgres.class_eval { self::Codec }.new(parameters, limit)
  end
end
