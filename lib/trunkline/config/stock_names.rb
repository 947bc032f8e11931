# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  # Whether this library's adapters have the names of the stock ones, where an application has asked for that in its Gemfile: the environment may
  # go back, for ActiveRecord and Sequel at once.
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
