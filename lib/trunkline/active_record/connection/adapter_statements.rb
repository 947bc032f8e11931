# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # What the adapter itself executes, in addition to PG::Connection's methods: C decodes the values as ActiveRecord expects them.
    module AdapterStatements # :nodoc:
      MISCOUNT = PG.const_get(:Translation)::MISCOUNT
      NO_PARAMETERS = [].freeze
      private_constant :MISCOUNT, :NO_PARAMETERS

      # Executes BEGIN, COMMIT, ROLLBACK or a statement of savepoints, whose result is not needed. It has neither parameters to encode nor rows to decode.
      #
      # @return [void]
      # @raise [PG::Error]
      def execute_transaction_control(sql)
        check_open
        check_no_copy if @copy
        end_open if @sent || @open_copy
        @receiver ? call_receiver(@session.query(sql, NO_PARAMETERS, prepare: :again)) : @session.command(sql)
      rescue Error, EncodingError => error
        raise translated(error)
      end

      # Executes one statement with parameters, and decodes its rows.
      #
      # @param prepare [Boolean, :again] whether the connections keep it prepared: see {Postgres::VirtualSession#query}
      # @return [Result]
      # @raise [PG::Error]
      def execute_statement(sql, parameters, prepare = true)
        check_open
        end_open if @sent || @open_copy
        received(@session.query(sql, bound(parameters), prepare: prepare))
      rescue Error, EncodingError, MISCOUNT => error
        raise translated(error)
      end

      # Sends one such statement without waiting for its answer: see {#receive_result}.
      #
      # @return [Postgres::Future, nil] nil: it must run on the reserved connection, synchronously
      # @raise [PG::Error]
      def send_statement(sql, parameters, prepare)
        end_open if @sent || @open_copy
        @session.send_off(sql, bound(parameters), prepare: prepare || :again)
      rescue Error, EncodingError, MISCOUNT => error
        raise translated(error)
      end

      # @param future [Postgres::Future] of {#send_statement}
      # @param _sql [String] its statement
      # @param _parameters [Array] its parameters
      # @return [Result]
      # @raise [PG::Error]
      def receive_result(future, _sql, _parameters)
        received(future.value)
      rescue Error, MISCOUNT => error
        raise translated(error)
      end

      private

      def received(result)
        Times.settle(result, default_timezone)
        call_receiver(result) if @receiver
        result
      end
    end
    private_constant :AdapterStatements
  end
end
