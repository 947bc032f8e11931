# frozen_string_literal: true

require_relative "../errors"
require_relative "translation"

module Trunkline
  module PG
    # The base class of the errors of {PG}. This library's error is its cause.
    class Error < StandardError
      # @return [Connection, nil]
      attr_reader :connection

      # @return [Report, nil] with error_field for the fields of the server's message
      attr_reader :result

      # @param message [String, nil]
      def initialize(message = nil, connection: nil, result: nil)
        @connection = connection
        @result = result
        super(message)
      end

      # @return [String] the message
      def error = message
    end

    # Errors of the server, with a class for each condition, under pg's names.
    class ServerError < Error; end

    # A query could not be sent, as no connection took it.
    class UnableToSend < Error; end

    # There is no connection, or it is lost.
    class ConnectionBad < Error; end

    # A result has another kind than the method needs, for example of a COPY where rows are expected.
    class InvalidResultStatus < Error; end

    # There is no result where one is needed.
    class NoResultError < Error; end

    # The block of {Connection#copy_data} has left lines of COPY TO unread.
    class NotAllCopyDataRetrieved < Error; end

    # The block of {Connection#copy_data} has used the connection for something else than the COPY.
    class LostCopyState < Error; end

    # Raised in the block of {Connection#transaction}, it rolls the transaction back and is not raised further.
    class RollbackTransaction < StandardError; end

    # The condition's classes have the same hierarchy as this library's.
    module Conditions # :nodoc:
      # @param condition [Class] a {Trunkline::ServerError}
      # @return [Class] the corresponding one of {PG}
      def self.of(condition)
        return ServerError if condition.equal?(::Trunkline::ServerError)

        name = Translation.name_of(condition.name.delete_prefix("Trunkline::"), condition.const_defined?(:SQLSTATE) ? condition::SQLSTATE : "")
        PG.const_defined?(name, false) ? PG.const_get(name, false) : PG.const_set(name, Class.new(of(condition.superclass)))
      end

      ::Trunkline.constants.map { |name| ::Trunkline.const_get(name) if ::Trunkline.autoload?(name).nil? }.each do |condition|
        of(condition) if condition.is_a?(Class) && condition < ::Trunkline::ServerError && condition.const_defined?(:SQLSTATE, false)
      end
    end
    private_constant :Conditions
  end
end
