# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # Queries of the adapter itself, in addition to PG::Connection's methods: C decodes the values as ActiveRecord expects them.
    module KeptQueries # :nodoc:
      MISCOUNT = PG.const_get(:Translation)::MISCOUNT
      NO_PARAMETERS = [].freeze
      private_constant :MISCOUNT, :NO_PARAMETERS

      # Runs one statement that returns no rows.
      #
      # @return [Result]
      # @raise [PG::Error]
      def exec_command(sql)
        check_open
        check_no_copy if @copy
        end_open if @sent || @open_copy
        result = @session.query(sql, NO_PARAMETERS, prepare: :again)
        call_receiver(result) if @receiver
        result
      rescue Error, EncodingError => error
        raise translated(error)
      end

      # Runs one statement, which connections keep prepared.
      #
      # @param prepare [Boolean, :again] whether they do
      # @return [Result]
      # @raise [PG::Error]
      def exec_kept(sql, parameters, prepare = true)
        check_open
        end_open if @sent || @open_copy
        received(@session.query(sql, bound(parameters), prepare: prepare))
      rescue Error, EncodingError, MISCOUNT => error
        raise translated(error)
      end

      # Sends one statement without waiting for its answer.
      #
      # @return [Postgres::Future, nil] nil: it must run on the reserved connection, synchronously
      # @raise [PG::Error]
      def send_kept(sql, parameters, prepare)
        end_open if @sent || @open_copy
        @session.send_off(sql, bound(parameters), prepare: prepare || :again)
      rescue Error, EncodingError, MISCOUNT => error
        raise translated(error)
      end

      # @param future [Postgres::Future]
      # @return [Result]
      # @raise [PG::Error]
      def receive(future)
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
    private_constant :KeptQueries
  end
end
