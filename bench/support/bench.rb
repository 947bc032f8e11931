# frozen_string_literal: true

require "trunkline/version"
require_relative "accounts_experiment"
require_relative "measure"
require_relative "packages"
require_relative "selects_table"
require_relative "table"
require_relative "data/resources"

module Trunkline
  # What benches are made of. Each bench is one file beside this folder and an {Experiment}: it has a private server, fills it with
  # one of data/, lets the sides of peers/ do the same work in processes of their own, and publishes tables.
  module Bench
    # @return [String] the name of the bench that runs
    def self.program = File.basename($PROGRAM_NAME, ".rb")

    # Runs a bench; Ctrl-C ends it without a trace on the screen or in the machine. One that lacks what it needs says what.
    def self.main
      yield
    rescue Packages::Missing => missing
      abort missing.message
    rescue Interrupt
      warn ""
      exit 130
    end
  end
end
