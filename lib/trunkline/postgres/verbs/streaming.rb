# frozen_string_literal: true

require_relative "stream"

module Trunkline
  module Postgres
    # Results of any size, in bounded memory. Includers have an Executor, which provides the connection.
    module Streaming
      # Runs one statement and yields its rows as they arrive. It reserves a connection until its last row, or until the block is left, which ends the
      # statement at once; queries in the block use other connections. In a transaction it uses that connection, which the block may use as well; in a
      # session without a transaction the block may not.
      #
      #   db.stream("SELECT * FROM events") { |row| puts row["name"] }
      #   db.stream("SELECT * FROM events").lazy.select { |row| row["name"] }.first(3)
      #
      # An Enumerator that was used with `next` and is dropped returns its connection when it is garbage collected.
      #
      # @param sql [String]
      # @param parameters as in {Querying#query}
      # @param chunk [Integer] rows in memory at a time, at most; fewer if they are large and no transaction is open
      # @param deadline [Numeric, nil] seconds for all of it
      # @param as [Class, nil] as in {Querying#query}
      # @yieldparam row [Hash, Object] as in {Querying#query}
      # @return [nil, Enumerator]
      # @raise [Error] as {Querying#query}; perhaps after some rows
      # @raise [ArgumentError] the chunk is not a positive Integer
      def stream(sql, *parameters, chunk: 1000, deadline: @deadline, as: nil, **unknown, &block)
        UnknownKeywords.refuse_values(unknown, Streaming.instance_method(:stream)) unless unknown.empty?
        unless Argument.is?(chunk, Integer) && chunk.between?(1, Stream::MOST)
          raise ArgumentError, "chunk must be an Integer from 1 to #{Stream::MOST}, not #{Argument.shown(chunk)}"
        end
        Records.check(as) unless nil == as
        return Enumerator.new { |rows| stream(sql, *parameters, chunk: chunk, deadline: deadline, as: as) { |row| rows << row } } unless block

        @executor.own_session(block) do |session|
          statements = session.statements_for(@executor.decoding, @executor.parse_context)
          statement, parameters = NamedParameters.resolve(statements, statements[Statements.text(sql)], parameters)
          Stream.new(session, statements, @result_class, chunk, as).each(statement, parameters, deadline, &block)
        end
        nil
      end
    end
  end
end
