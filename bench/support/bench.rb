# frozen_string_literal: true

require "trunkline/version"
require_relative "comparison"
require_relative "figures"
require_relative "isolated"
require_relative "measure"
require_relative "options"
require_relative "results"
require_relative "selects_table"
require_relative "table"
require_relative "versions"
require_relative "data/accounts"
require_relative "data/resources"
require_relative "servers/postgres_server"

module Trunkline
  # What benches are made of. Each bench is one file beside this folder: it starts a private server, fills it with one
  # of data/, lets the sides of peers/ do the same work in processes of their own, and publishes tables.
  module Bench
    # Runs a bench; Ctrl-C ends it without a trace on the screen or in the machine.
    def self.main
      yield
    rescue Interrupt
      warn ""
      exit 130
    end
  end
end
