# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # The queries of PG::Connection. The class defines how parameters are sent (`sendable`), how results (`settled`) and errors (`translated`) are
      # converted, and where pg's classes are (`namespace`).
      module Executing
        include Constants

        # Runs one statement, or several, separated by semicolons.
        #
        # @param sql [String]
        # @param parameters [Array, nil] as for {#exec_params}
        # @yieldparam result [Result]
        # @return [Result, Object] of the last statement; with a block, what the block returned
        # @raise [PG::Error]
        def exec(sql, parameters = nil, result_format = 0, type_map = nil, &block)
          answer(sql, parameters || [], result_format, type_map, &block)
        end
        alias async_exec exec
        alias sync_exec exec
        alias query exec
        alias async_query exec

        # Runs one statement.
        #
        # @param sql [String] with $1, $2, ... for parameters
        # @param parameters [Array] Ruby's values, or Hashes with :value, :type (an OID) and :format (1: the value is in the binary format)
        # @param result_format [Integer] of the values in the result: 0: text; 1: bytes, in the binary format
        # @param type_map [TypeMap, nil] for the parameters; nil: {#type_map_for_queries}
        # @yieldparam result [Result]
        # @return [Result, Object]
        # @raise [PG::Error]
        def exec_params(sql, parameters = [], result_format = 0, type_map = nil, &block)
          answer(sql, parameters || [], result_format, type_map, &block)
        end
        alias async_exec_params exec_params
        alias sync_exec_params exec_params

        # Gives a statement a name. The server checks it; each server connection prepares it when it first runs there.
        #
        # @param name [String] empty: the unnamed statement
        # @param sql [String]
        # @param types [Array<Integer>, nil] OIDs of the parameters, 0: the server determines it
        # @return [Result] empty
        # @raise [PG::Error]
        def prepare(name, sql, types = nil)
          check_open
          end_open
          name = statement_name(name)
          raise duplicate("prepared statement \"#{name}\" already exists") if !name.empty? && @statements.key?(name)

          @queries.describe(sql, types)
          @statements[name] = [sql, types]
          @queries.nothing("PREPARE")
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end
        alias async_prepare prepare
        alias sync_prepare prepare

        # Runs a statement by its name.
        #
        # @return [Result, Object] as {#exec_params}
        # @raise [PG::Error]
        def exec_prepared(name, parameters = [], result_format = 0, type_map = nil, &block)
          sql, types = prepared(name)
          answer(sql, parameters || [], result_format, type_map, prepare: true, types: types, &block)
        end
        alias async_exec_prepared exec_prepared
        alias sync_exec_prepared exec_prepared

        # @param name [String] of a statement
        # @return [Result] without rows: nparams, paramtype, and its columns
        # @raise [PG::Error]
        def describe_prepared(name)
          @queries.describe(*prepared(name))
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end
        alias async_describe_prepared describe_prepared
        alias sync_describe_prepared describe_prepared

        # Removes a statement's name.
        #
        # @return [Result] empty
        def close_prepared(name)
          @statements.delete(statement_name(name))
          @queries.nothing("DEALLOCATE")
        end
        alias async_close_prepared close_prepared
        alias sync_close_prepared close_prepared

        # Runs the block in a transaction, which is committed when the block ends, also by next, break or return, and rolled back when it is left in
        # any other way.
        #
        # @yieldparam connection [Connection] this one
        # @return [Object, nil] what the block returned; nil after RollbackTransaction
        def transaction
          left = Postgres.const_get(:BlockExit).new
          exec("BEGIN")
          left.run { yield self }
        rescue namespace::RollbackTransaction
          nil
        ensure
          exec(left.completed? ? "COMMIT" : "ROLLBACK") unless transaction_status == PQTRANS_IDLE
        end

        # Sets the block that receives notices of the server.
        #
        # @yieldparam result [Report] with PG::Result#error_field for the fields
        # @return [Proc, nil] the former one
        def set_notice_receiver(&block)
          @receiver.tap { @receiver = block }
        end

        # As {#set_notice_receiver}, with only the message.
        def set_notice_processor(&block)
          set_notice_receiver(&(block && ->(result) { block.call(result.error_message) }))
        end

        private

        def statement_name(name)
          name = name.to_s
          name = name.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::BINARY].include?(name.encoding)
          raise ArgumentError, "string contains null byte" if name.include?("\0")

          name
        end

        def prepared(name)
          check_open
          name = statement_name(name)
          @statements.fetch(name) { raise refused(:InvalidSqlStatementName, "26000", "prepared statement \"#{name}\" does not exist") }
        end

        def duplicate(message) = refused(:DuplicatePstatement, "42P05", message)

        def refused(name, sqlstate, message)
          report = Report.new({ severity: "ERROR", sqlstate: sqlstate, message: message }, failed: true)
          namespace.const_get(name).new(report.error_message, connection: self, result: report)
        end

        def check_open
          raise FrozenError.new("can't modify frozen #{self.class}", receiver: self) if frozen?
          raise failure(:ConnectionBad, "connection is closed") if @finished
        end

        def check_no_copy = (raise failure(:LostCopyState, "another SQL query was called while copy_data is running: call it after the block") if @copy && !@open_copy)

        def answer(sql, parameters, result_format, type_map, prepare: :again, types: nil)
          check_open
          check_no_copy
          end_open
          sql = Queries.utf8(sql)
          Queries.check_parameters(parameters)
          return open_copy(sql) if parameters.empty? && Copying.begins?(sql)

          result = settled(@queries.query(sql, parameters, result_format, type_map || @types.for_queries, prepare, types))
          call_receiver(result) if @receiver
          block_given? ? yielded(result) { yield result } : result
        rescue ::Trunkline::Error, EncodingError, Translation::MISCOUNT => error
          raise translated(error)
        end

        # A result is cleared after its block.
        def yielded(result)
          yield
        ensure
          result.clear
        end

        # Applies the connection's type maps to a result.
        def settled(result) = @types.settle(result)

        def call_receiver(result)
          result.notices.each { |fields| @receiver.call(Report.new(fields)) }
        end
      end
    end
  end
end
