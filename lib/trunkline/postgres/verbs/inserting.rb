# frozen_string_literal: true

require_relative "insertion"

module Trunkline
  module Postgres
    # Inserts rows into a table.
    module Inserting
      # Keywords of {Querying#query} that an insertion takes.
      OPTIONS = %i[deadline idempotent settings role group_commit as].freeze
      private_constant :OPTIONS

      # Inserts a row, or several with one statement. The statement has the same text for any number of rows above one, so it is prepared once.
      #
      #   db.insert(:users, { name: "Edith", born: Date.new(1883, 5, 5) }, returning: :id).value
      #   db.insert(:users, [{ id: 8, name: "Hedy" }, { id: 9, name: "Radia" }])
      #   db.insert([:archive, :users], users)
      #
      # @param table [Symbol, String, Array] its name, case-sensitive; with the schema's before it in an Array
      # @param rows [Hash, #to_h, Enumerable<Hash, #to_h>] values by the columns' names; all rows have the same columns. Other columns get their
      #   defaults
      # @param returning [Symbol, String, Array, true, nil] columns that the result has; true: all
      # @param options as for {Querying#query}
      # @return [Result] without rows, unless `returning` names columns; affected_rows is the number of inserted rows. If there are no rows, nothing
      #   is sent
      # @raise [ArgumentError] rows have different columns; a value cannot be sent
      # @raise [TypeError] rows are not Hashes
      # @raise [Error] as {Querying#query}: nothing was inserted
      def insert(table, rows, returning: nil, **options)
        unknown = options.except(*OPTIONS)
        UnknownKeywords.refuse(unknown, Inserting.instance_method(:insert), Querying.instance_method(:query)) unless unknown.empty?
        insertion = Insertion.new(self, table, rows, returning)
        return @result_class.new([], Description.empty, 0) if insertion.rows.empty?
        return query(insertion.one_row, *insertion.rows.first, **options) if insertion.rows.size == 1

        scope = with(**options.slice(:settings, :role, :group_commit))
        scope.insert_columns(insertion, **options.except(:settings, :role, :group_commit))
      end

      protected

      # The types of the table's columns are looked up in the caller's own session, if it holds one: the name may mean another table there.
      def insert_columns(insertion, **options)
        deadline = options.fetch(:deadline, @deadline)
        Deadlines.hold(deadline && Deadlines.in(deadline)) do
          responses = @executor.responses
          statement = @statements[insertion.one_row]
          oids = @executor.holds_connection? ? @executor.describe_request(Request.describe(statement)).parameter_types : @executor.learned_types(statement)
          names = responses.type_names.of(oids.map { |oid| [oid, -1] })
          query(insertion.many_rows(oids, names), *insertion.columns(responses.parameter_types(oids), responses.array_nulls), **options)
        end
      end
    end
  end
end
