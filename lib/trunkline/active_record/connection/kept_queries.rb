# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # What the adapter asks beside the methods of PG::Connection.
    module KeptQueries # :nodoc:
      # Runs one statement, which the server's connections keep.
      #
      # @return [Result]
      # @raise [PG::Error]
      def exec_kept(sql, parameters) = answer(sql, parameters, true)

      # Sends one statement and does not wait for its answer.
      #
      # @return [Postgres::Future, nil] nil: it has to be asked where something is going on already
      # @raise [PG::Error]
      def send_kept(sql, parameters, prepare)
        @session.send_off(sql, sendable(parameters), prepare: prepare || :again)
      rescue Error, EncodingError => error
        raise translated(error)
      end

      # @param future [Postgres::Future]
      # @return [Result]
      # @raise [PG::Error]
      def receive(future)
        settled(future.value)
      rescue Error => error
        raise translated(error)
      end
    end
    private_constant :KeptQueries
  end
end
