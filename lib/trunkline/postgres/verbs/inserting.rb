# frozen_string_literal: true

require_relative "insertion"

module Trunkline
  module Postgres
    # Inserts rows into a table.
    module Inserting
      # Keywords of {Querying#query} that an insertion takes.
      OPTIONS = %i[deadline idempotent settings role group_commit as].freeze
      # SQLSTATEs of statements that the server cannot parse begin so, and that of one which a pooler has prepared for former types.
      REFUSED = %w[42 0A000].freeze
      private_constant :OPTIONS, :REFUSED

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
      def insert(table, rows = (none = true), returning: nil, **options)
        unknown = options.except(*OPTIONS)
        if none
          raise ArgumentError, "insert takes a table and rows: a row is written in braces, as in insert(:users, { #{UnknownKeywords.shown(unknown.keys.first || "name")}: value })"
        end

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
          statement = @statements[insertion.one_row]
          oids = types_of(statement, insertion)
          begin
            query(*typed(insertion, oids, insertion.comparable?), **options)
          rescue ServerError, ArgumentError, TypeError => error
            raise unless insertion.comparable? && (!error.is_a?(ServerError) || error.sqlstate.start_with?(*REFUSED)) && (again = typed_again(insertion, statement, oids))

            query(*again, **options)
          end
        end
      end

      private

      # What the client remembers may be older than the table, where the server does not compare it. Within a transaction no type changes any more once
      # the server has parsed a statement for the table.
      #
      # @return [Array<Integer>] the OIDs of the columns' types
      def types_of(statement, insertion)
        return @executor.learned_types(statement) if insertion.comparable? && !@executor.holds_connection?

        @executor.describe_request(Request.describe(statement).unnamed!).parameter_types
      end

      # @param compared [Boolean] whether the server compares the types
      # @return [Array] the SQL, and a parameter for each column
      def typed(insertion, oids, compared)
        responses = @executor.responses
        names = responses.type_names.of(oids.map { |oid| [oid, -1] })
        [insertion.many_rows(oids, names, compared), *insertion.columns(responses.parameter_types(oids), responses.array_nulls)]
      end

      # A type of the table's name may precede the table in search_path: then the types cannot be compared.
      #
      # @return [Array, nil] as `typed`; nil: the server did not refuse the statement because of types, or cannot be queried
      def typed_again(insertion, statement, oids)
        now = @executor.types_now(statement)
        return now && typed(insertion, now, true) unless now == oids

        typed(insertion, oids, false) unless @executor.types_now(@statements[typed(insertion, oids, true).first])
      end
    end
  end
end
