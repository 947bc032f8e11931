# frozen_string_literal: true

module Sequel
  module Trunkline
    # How a Database runs statements. A caller that holds a connection uses that, all others share connections. Statements with parameters are
    # prepared automatically; those that contain their values are not cached.
    module Executing
      # @param sql [String, Symbol] or the name of a prepared statement
      # @param opts [Hash] arguments, server
      # @yieldparam result [::Trunkline::Postgres::Result]
      # @return [Object, Integer] what the block returned; without one, the number of affected rows
      # @raise [Sequel::DatabaseError]
      def execute(sql, opts = OPTS, &block)
        conn = pool.connection_for(opts[:server])
        check_database_errors { _execute(conn, sql, opts, &block) }
      end

      # CALLs a procedure.
      #
      # @return [Hash, nil] the procedure's output parameters
      def call_procedure(name, *args)
        dataset.with_sql_first("CALL #{dataset.literal(Sequel.function(name, *args))}")
      end

      # @param arg [Object] for a parameter
      # @return [Object] for the client
      def bound_variable_arg(arg, _conn)
        case arg
        when Sequel::SQL::Blob then arg.b
        when Time, DateTime then @default_dataset.literal_date_or_time(arg) # in quotes, which the server ignores
        else arg
        end
      end

      # @param args [Array] for parameters
      # @param conn [Connection, Shared]
      # @param connection [#check_array_nulls] with the server's setting
      # @return [Array] for the client
      # @raise [::Trunkline::ConfigError] array_nulls is off, and there is a nil in an array of the extension pg_array, which sends it as text
      def parameters_of(args, conn, connection)
        args.each_with_index.map do |arg, at|
          connection.check_array_nulls("$#{at + 1}") if defined?(Sequel::Postgres::PGArray) && arg.is_a?(Sequel::Postgres::PGArray) && arg.flatten.include?(nil)
          bound_variable_arg(arg, conn)
        end
      end

      private

      def _execute(conn, sql, opts, &block)
        return execute_prepared_statement(conn, sql, opts, &block) if sql.is_a?(Symbol)

        conn.execute(sql, opts[:arguments], &block)
      end

      def execute_prepared_statement(conn, name, opts, &block)
        ps = prepared_statement(name)
        log_prepare(conn, name, ps.prepared_sql)
        log_sql = ps.log_sql ? "EXECUTE #{name} (#{ps.prepared_sql})" : "EXECUTE #{name}"
        conn.execute(ps.prepared_sql, opts[:arguments], prepare: true, log_sql: log_sql, &block)
      end

      # Each connection prepares it when it first runs there; it is logged once, as by one connection of Sequel's own adapter.
      def log_prepare(conn, name, sql)
        return unless pool.prepare_to_log?(name, sql)

        log_connection_yield("PREPARE #{name} AS #{sql}", (conn if conn.is_a?(Connection))) { nil }
      end

      # The connection writes the log itself.
      def log_connection_execute(conn, sql) = conn.execute(sql)

      # Abandoned requests are ended first; if the connection is lost, everything is rolled back already.
      def rollback_transaction(conn, opts = OPTS)
        conn.settle
        super if conn.in_transaction?
      end
    end
  end
end
