# frozen_string_literal: true

require_relative "other_verbs"
require_relative "../statements/prepared_statement"

module Trunkline
  module Postgres
    # Statements that the server describes, and does not run.
    module Describing
      # Describes the parameters and columns of a statement. It is prepared, and not run.
      #
      # @param sql [String]
      # @param deadline [Numeric, nil] seconds
      # @return [StatementDescription]
      # @raise [ServerError] the statement is invalid: a misspelt word, a table that does not exist
      # @raise [Error] as {Querying#query}
      def describe(sql, deadline: @deadline)
        Deadlines.hold(deadline && Deadlines.in(deadline)) do
          statement = @statements[Statements.text(sql)]
          text, names, certain = statement.named
          statement = @statements[text] if certain
          described = @executor.describe_request(Request.describe(statement))
          result = described.description
          parameters = described.parameter_types.zip((names if certain) || []).map { |oid, name| Column.new(name&.name, nil, oid, -1) }
          columns = result.columns.zip(result.types, result.modifiers).map { |name, oid, modifier| Column.new(name, nil, oid, modifier) }
          named(parameters + columns)
          StatementDescription.new(parameters, columns)
        end
      end

      # Has the server parse and describe a statement, so that its errors, parameters and columns are known now. That is the only advantage: every
      # statement is prepared on first use anyway.
      #
      # @param sql [String]
      # @param deadline [Numeric, nil] seconds for that
      # @return [PreparedStatement]
      # @raise [Error] as {#describe}
      # @raise [ArgumentError] more than the SQL was given
      def prepare(sql, *unknown, deadline: @deadline)
        raise ArgumentError, "prepare takes SQL alone, as statements have no names: prepared = prepare(sql), and then prepared.query(*values)" unless unknown.empty?

        PreparedStatement.new(self, Statements.text(sql), describe(sql, deadline: deadline))
      end

      private

      # All of them in one query.
      def named(columns)
        names = @executor.responses.type_names.of(columns.map { |column| [column.oid, column.modifier] })
        columns.zip(names) { |column, name| column.type = name }
      end
    end
  end
end
