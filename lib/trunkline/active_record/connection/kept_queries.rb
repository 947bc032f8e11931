# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # What the adapter asks beside the methods of PG::Connection: its results have the values that ActiveRecord wants, decoded as they come.
    module KeptQueries # :nodoc:
      MISCOUNT = PG.const_get(:Translation)::MISCOUNT
      private_constant :MISCOUNT

      # Runs one statement, which the server's connections keep.
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

      # Sends one statement and does not wait for its answer.
      #
      # @return [Postgres::Future, nil] nil: it has to be asked where something is going on already
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
        tell(result) if @receiver
        result
      end
    end
    private_constant :KeptQueries
  end
end
