# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    class Connection < ::PG::Connection
      # The queries of PG::Connection.
      module Asking
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
        def exec_params(sql, parameters = [], *, &block) = answer(sql, parameters, :again, &block)
        alias async_exec_params exec_params
        alias sync_exec_params exec_params

        # Runs one statement, which the server's connections keep.
        #
        # @return [Result]
        # @raise [PG::Error]
        def exec_kept(sql, parameters) = answer(sql, parameters, true) # :nodoc:

        # Sends one statement and does not wait for its answer.
        #
        # @return [Postgres::Future, nil] nil: it has to be asked where something is going on already
        # @raise [PG::Error]
        def send_kept(sql, parameters, prepare) # :nodoc:
          @session.send_off(sql, parameters.any?(Hash) ? plain(parameters) : parameters, prepare: prepare || :again)
        rescue Error, EncodingError => error
          raise Errors.of(error, self)
        end

        # @param future [Postgres::Future]
        # @return [Result]
        # @raise [PG::Error]
        def receive(future) # :nodoc:
          future.value.tap { |result| Times.settle(result, @default_timezone) }
        rescue Error => error
          raise Errors.of(error, self)
        end

        # Gives a statement a name. It is sent when it is first run.
        #
        # @param name [String]
        # @param sql [String]
        # @return [nil]
        def prepare(name, sql, *)
          @statements[name.to_s] = sql
          nil
        end
        alias async_prepare prepare
        alias sync_prepare prepare

        # Runs a statement by its name.
        #
        # @return [Result, Object] as {#exec_params}
        # @raise [PG::Error]
        def exec_prepared(name, parameters = [], *, &block)
          sql = @statements.fetch(name.to_s) do
            raise ::PG::InvalidSqlStatementName.new("ERROR:  prepared statement \"#{name}\" does not exist\n", connection: self)
          end
          answer(sql, parameters, true, &block)
        end
        alias async_exec_prepared exec_prepared
        alias sync_exec_prepared exec_prepared

        # Forgets a statement's name.
        def close_prepared(name) = @statements.delete(name.to_s) && nil
        alias async_close_prepared close_prepared
        alias sync_close_prepared close_prepared

        # Runs the block in a transaction.
        #
        # @yieldparam connection [Connection] this one
        # @return [Object] what the block returned
        def transaction
          completed = false
          exec("BEGIN")
          result = yield self
          completed = true
          result
        rescue ::PG::RollbackTransaction
          nil
        ensure
          exec(completed ? "COMMIT" : "ROLLBACK") unless transaction_status == ::PG::PQTRANS_IDLE
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
        def get_last_result = nil
        alias async_get_last_result get_last_result
        alias sync_get_last_result get_last_result
        def discard_results = nil

        # What is told of the notices that the server sends while a statement runs.
        #
        # @yieldparam result [Errors::Report] whose fields PG::Result#error_field tells
        # @return [Proc, nil] the one before
        def set_notice_receiver(&block)
          @receiver.tap { @receiver = block }
        end

        # As {#set_notice_receiver}, with the message alone.
        def set_notice_processor(&block)
          set_notice_receiver(&(block && ->(result) { block.call(result.error_message) }))
        end

        private

        def answer(sql, parameters, prepare)
          raise ::PG::ConnectionBad.new("connection is closed", connection: self) if @finished

          result = @session.ask(sql, parameters.any?(Hash) ? plain(parameters) : parameters, prepare: prepare)
          Times.settle(result, @default_timezone)
          tell(result) if @receiver
          block_given? ? yield(result) : result
        rescue Error, EncodingError => error
          raise Errors.of(error, self)
        end

        # What pg has in a Hash. Bytes go to a bytea as they are.
        def plain(parameters)
          parameters.map do |value|
            next value unless value.is_a?(Hash)

            value[:format] == 1 ? value[:value].to_s.b : value[:value]&.to_s
          end
        end

        def tell(result)
          result.notices.each { |fields| @receiver.call(Errors::Report.new(fields)) }
        end
      end
    end
  end
end
