# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  # Whether this library's adapters take the names of the stock ones, which an application requests in its Gemfile: the environment variable can
  # revert that, for ActiveRecord and Sequel together.
  module StockNames # :nodoc:
    VARIABLE = "TRUNKLINE_POSTGRESQL"
    VALUES = { "stock" => false, "trunkline" => true, "" => true, nil => true }.freeze
    private_constant :VARIABLE, :VALUES

    # @return [Boolean]
    # @raise [ConfigError] the variable has another value
    def self.taken?(env = ENV)
      VALUES.fetch(env[VARIABLE]) { raise ConfigError, "#{VARIABLE} must be stock or trunkline, not #{env[VARIABLE].inspect}" }
    end
  end
  private_constant :StockNames
end
