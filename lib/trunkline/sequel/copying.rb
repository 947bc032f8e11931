# frozen_string_literal: true

module Sequel
  module Trunkline
    # COPY, on a reserved connection.
    module Copying
      # Copies rows out of a table or a query, in a format of the server.
      #
      # @param table [Symbol, Dataset, String] or the whole COPY statement
      # @param opts [Hash] format: :csv or :binary; options: SQL; server
      # @yieldparam row [String] with its line end
      # @return [String, nil] without a block, all rows
      # @raise [Sequel::DatabaseDisconnectError] the block was left before the last row, or has raised: see Exception#cause
      # @raise [Sequel::DatabaseError]
      def copy_table(table, opts = OPTS, &block)
        return copy_table(table, opts, &(all = +"").method(:<<)).then { all } unless block

        synchronize(opts[:server]) { |conn| copy_out(conn, copy_table_sql(table, opts), &block) }
      end

      # Copies rows into a table, in a format of the server.
      #
      # @param table [Symbol]
      # @param opts [Hash] data: a String, or an object that yields Strings by `each`; columns; format: :csv or :binary; options: SQL; server
      # @yieldreturn [String, nil] more data; nil: there is no more
      # @return [Object, nil] what `each` of the data returned; nil: with a block
      # @raise [Sequel::Error] neither data nor a block is given, or both are
      # @raise [Sequel::DatabaseError] nothing is stored
      def copy_into(table, opts = OPTS, &block)
        data = opts[:data]
        raise Error, "Cannot provide both a :data option and a block to copy_into" if block && data
        raise Error, "Must provide either a :data option or a block to copy_into" unless block || data

        pieces = data.is_a?(String) ? [data] : data || Enumerator.produce { block.call || raise(StopIteration) }
        returned = synchronize(opts[:server]) { |conn| check_database_errors { copy_in(conn, copy_into_sql(table, opts), pieces) } }
        data && returned
      end

      private

      def copy_out(conn, sql)
        copy = check_database_errors { conn.copy(sql) }
        while (row = check_database_errors { copy.read })
          yield row
        end
        check_database_errors { copy.finish }
        completed = true
        nil
      rescue DatabaseError
        completed = true
        raise
      rescue StandardError => error
        completed = true
        raise_error(error, disconnect: true)
      ensure
        copy&.abort
        raise DatabaseDisconnectError, "disconnecting as the block was left in the middle of a COPY" unless completed || $!
      end

      def copy_in(conn, sql, data)
        copy = conn.copy(sql)
        data.each { |piece| copy.write(piece) }.tap { copy.finish }
      rescue Exception # rubocop:disable Lint/RescueException
        copy&.abort("ruby exception occurred while copying data into PostgreSQL")
        raise
      end
    end
  end
end
