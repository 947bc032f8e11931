# frozen_string_literal: true

module Trunkline
  module Postgres
    # What is asked about the server, and about statements.
    module Probing
      # Asks the server for the plan of a statement.
      #
      #   puts db.explain("SELECT * FROM users WHERE id = $1", 42, analyze: true)
      #
      # @param sql [String]
      # @param parameters as for {Querying#query}
      # @param analyze [Boolean] whether the server runs the statement, and tells rows and times: one that writes does write
      # @param buffers [Boolean] whether it tells the blocks that were read; before PostgreSQL 13 with `analyze` only
      # @param verbose [Boolean] whether it tells the columns that each node gives
      # @param deadline [Numeric, nil] seconds
      # @return [String] lines
      # @raise [Error] as {Querying#query}
      def explain(sql, *parameters, analyze: false, buffers: false, verbose: false, deadline: @deadline, **unknown)
        UnknownKeywords.refuse_values(unknown, Probing.instance_method(:explain)) unless unknown.empty?
        options = { ANALYZE: analyze, BUFFERS: buffers, VERBOSE: verbose }.select { |_, wanted| wanted }.keys
        text = "EXPLAIN #{"(#{options.join(", ")}) " unless options.empty?}#{Statements.text(sql)}"
        with(prepare: false).query(text, *parameters, deadline: deadline).column.join("\n")
      end

      # Asks the server for an empty answer.
      #
      # @param deadline [Numeric, nil] seconds
      # @return [true] it has answered
      # @raise [Error] it has not, as {Querying#query}
      def ping(deadline: @deadline)
        query("", deadline: deadline, idempotent: true)
        true
      rescue InFailedSqlTransaction # an answer too
        true
      end
    end
  end
end
