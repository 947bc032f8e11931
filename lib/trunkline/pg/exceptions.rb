# frozen_string_literal: true

require_relative "../errors"
require_relative "translation"

module Trunkline
  module PG
    # What a query or a connection of {PG} fails with. The error of this library is its cause.
    class Error < StandardError
      # @return [Connection, nil]
      attr_reader :connection

      # @return [Report, nil] whose error_field tells the fields of the server's message
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

    # What the server has refused, with a class for each condition that it knows, called as pg calls it.
    class ServerError < Error; end

    class UnableToSend < Error; end
    class ConnectionBad < Error; end
    class InvalidResultStatus < Error; end
    class NoResultError < Error; end
    class NotAllCopyDataRetrieved < Error; end
    class LostCopyState < Error; end

    # Raised in the block of {Connection#transaction}, it rolls the transaction back and goes no further.
    class RollbackTransaction < StandardError; end

    # The condition's classes have the superclasses that those of this library have.
    module Conditions # :nodoc:
      # @param condition [Class] a {Trunkline::ServerError}
      # @return [Class] that of {PG}
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
