# frozen_string_literal: true

module Trunkline
  module Postgres
    # Queries about the server, and about statements.
    module Probing
      # Returns the server's plan for a statement.
      #
      #   puts db.explain("SELECT * FROM users WHERE id = $1", 42, analyze: true)
      #
      # @param sql [String]
      # @param parameters as for {Querying#query}
      # @param analyze [Boolean] whether the server runs the statement, and reports rows and times: a statement that writes does write
      # @param buffers [Boolean] whether it reports the blocks that were read; before PostgreSQL 13 with `analyze` only
      # @param verbose [Boolean] whether it reports the output columns of each node
      # @param deadline [Numeric, nil] seconds
      # @return [String] lines
      # @raise [Error] as {Querying#query}
      def explain(sql, *parameters, analyze: false, buffers: false, verbose: false, deadline: @deadline, **unknown)
        UnknownKeywords.refuse_values(unknown, Probing.instance_method(:explain)) unless unknown.empty?
        options = { ANALYZE: analyze, BUFFERS: buffers, VERBOSE: verbose }.select { |_, wanted| wanted }.keys
        text = "EXPLAIN #{"(#{options.join(", ")}) " unless options.empty?}#{Statements.text(sql)}"
        with(prepare: false).query(text, *parameters, deadline: deadline).column.join("\n")
      end

      # Sends an empty statement.
      #
      # @param deadline [Numeric, nil] seconds
      # @return [true] the server has answered
      # @raise [Error] it has not, as {Querying#query}
      def ping(deadline: @deadline)
        query("", deadline: deadline, idempotent: true)
        true
      rescue InFailedSqlTransaction # the server has answered
        true
      end
    end
  end
end
