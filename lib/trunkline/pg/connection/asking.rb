# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # The queries of PG::Connection. The class says how parameters are sent (`sendable`), what becomes of results (`settled`) and of errors
      # (`translated`), and where pg's classes are (`namespace`).
      module Asking
        include Constants

        # Runs one statement, or several, separated by semicolons.
        #
        # @param sql [String]
        # @param parameters [Array, nil] as for {#exec_params}
        # @yieldparam result [Result]
        # @return [Result, Object] of the last statement; what the block returned, where one is given
        # @raise [PG::Error]
        def exec(sql, parameters = nil, *, &block) = answer(sql, parameters || [], :again, &block)
        alias async_exec exec
        alias sync_exec exec
        alias query exec
        alias async_query exec

        # Runs one statement.
        #
        # @param sql [String] with $1, $2, ... for parameters
        # @param parameters [Array] Ruby's values, or Hashes with :value and :format (1: the value is the bytes of a bytea)
        # @yieldparam result [Result]
        # @return [Result, Object]
        # @raise [PG::Error]
        def exec_params(sql, parameters = [], *, &block) = answer(sql, parameters || [], :again, &block)
        alias async_exec_params exec_params
        alias sync_exec_params exec_params

        # Gives a statement a name. It is sent when it is first run, so what is wrong with it is told then.
        #
        # @param name [String]
        # @param sql [String]
        # @return [Result] of nothing
        def prepare(name, sql, *)
          @statements[name.to_s] = sql
          @session.nothing
        end
        alias async_prepare prepare
        alias sync_prepare prepare

        # Runs a statement by its name.
        #
        # @return [Result, Object] as {#exec_params}
        # @raise [PG::Error]
        def exec_prepared(name, parameters = [], *, &block)
          sql = @statements.fetch(name.to_s) { raise unprepared("prepared statement \"#{name}\" does not exist") }
          answer(sql, parameters || [], true, &block)
        end
        alias async_exec_prepared exec_prepared
        alias sync_exec_prepared exec_prepared

        # Forgets a statement's name.
        def close_prepared(name) = @statements.delete(name.to_s) && nil
        alias async_close_prepared close_prepared
        alias sync_close_prepared close_prepared

        # Runs the block in a transaction, which is committed when the block comes to its end, by next, break or return too, and rolled back when
        # it is left in any other way.
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

        # Has the server end what was given up, where that is still running.
        #
        # @return [nil]
        def cancel = @session.settle && nil
        alias async_cancel cancel
        alias sync_cancel cancel

        # Nothing is ever left to wait for.
        #
        # @return [Boolean] true
        def block(_timeout = nil) = true

        # @return [nil] the results were returned by the methods that asked for them
        def get_last_result = nil
        alias async_get_last_result get_last_result
        alias sync_get_last_result get_last_result

        # @return [nil]
        def discard_results = nil

        # What is told of the notices that the server sends while a statement runs.
        #
        # @yieldparam result [Report] whose fields PG::Result#error_field tells
        # @return [Proc, nil] the one before
        def set_notice_receiver(&block)
          @receiver.tap { @receiver = block }
        end

        # As {#set_notice_receiver}, with the message alone.
        def set_notice_processor(&block)
          set_notice_receiver(&(block && ->(result) { block.call(result.error_message) }))
        end

        private

        def unprepared(message)
          report = Report.new({ severity: "ERROR", sqlstate: "26000", message: message })
          namespace::InvalidSqlStatementName.new(report.error_message, connection: self, result: report)
        end

        def answer(sql, parameters, prepare)
          raise failure(:ConnectionBad, "connection is closed") if @finished

          result = settled(@session.ask(sql, sendable(parameters), prepare: prepare))
          tell(result) if @receiver
          block_given? ? yield(result) : result
        rescue ::Trunkline::Error, EncodingError => error
          raise translated(error)
        end

        def tell(result)
          result.notices.each { |fields| @receiver.call(Report.new(fields)) }
        end
      end
    end
  end
end
