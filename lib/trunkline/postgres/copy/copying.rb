# frozen_string_literal: true

require_relative "copy"
require_relative "copy_in"
require_relative "copy_source"

module Trunkline
  module Postgres
    # COPY: any number of rows in or out. It runs on a reserved connection; within a session or transaction on that one, which takes no other query
    # until it is over. Rows as Arrays need the text format without further options, or FORMAT binary.
    #
    # Includers have an Executor, which provides the connection.
    module Copying
      # Copies rows into a table: those of an IO, or those that the block sends. If the block raises, nothing is stored.
      #
      #   db.copy_in("COPY users (id, name) FROM STDIN") { |copy| copy << [1, "Ada"] << [2, "Grace"] }
      #   db.copy_in("COPY users FROM STDIN (FORMAT csv)", File.open("users.csv"))
      #
      # @param sql [String] COPY ... FROM STDIN
      # @param io [#read, nil] data in the statement's format
      # @param deadline [Numeric, nil] seconds for all of it
      # @yieldparam copy [CopyIn] takes rows
      # @return [Integer] rows that were stored
      # @raise [ServerError] the server refused the statement or the data: nothing is stored
      # @raise [Indeterminate] the connection was lost before the answer
      # @raise [ArgumentError] the SQL is not COPY FROM STDIN
      # @raise [Error] as {Querying#query}
      def copy_in(sql, io = nil, deadline: @deadline, &block)
        raise ArgumentError, "copy_in takes an IO or a block" if io.nil? == block.nil?

        @executor.own_session(block) do |session|
          session.copying(sql, :in, deadline: deadline, described: !io) do |copy, source|
            rows = CopyIn.new(copy, source)
            io ? rows << io : yield(rows)
            rows.finish
          end
        end
      end

      # Copies rows out of a table or query, to an IO or to the block.
      #
      #   db.copy_out("COPY users (id, name) TO STDOUT") { |id, name| puts name }
      #   db.copy_out("COPY users TO STDOUT (FORMAT csv, HEADER)", File.open("users.csv", "w"))
      #
      # If the block is left before the last row, the statement is cancelled, and the transaction that it is in fails.
      #
      # @param sql [String] COPY ... TO STDOUT
      # @param io [#write, nil] takes data in the statement's format
      # @param raw [Boolean] whether the block takes data in the statement's format, a String for each row
      # @param deadline [Numeric, nil] seconds for all of it
      # @yieldparam row [Array, String] the values of the columns, as {Querying#query} returns them
      # @return [Integer] rows that were copied
      # @raise [ArgumentError] the SQL is not COPY TO STDOUT, or has options for which values cannot be decoded
      # @raise [Error] as {Querying#query}
      def copy_out(sql, io = nil, raw: false, deadline: @deadline, &block)
        raise ArgumentError, "copy_out takes an IO or a block" if io.nil? == block.nil?

        take = io ? ->(data) { io.write(data) } : block
        @executor.own_session(block) do |session|
          session.copying(sql, :out, deadline: deadline, described: !io && !raw) { |copy, source| source.each_row(copy, &take) }
        end
      end
    end
  end
end
