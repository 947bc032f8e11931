# frozen_string_literal: true

# What comes before the tests of a gem that uses Sequel: what the mode's adapter is loaded by. The server of this run is in the suite's environment.
require "bundler/setup"
require "sequel"
require "trunkline/sequel/postgres" if ENV.fetch("MODE") == "one_line"
require_relative "../suites/journal" unless ENV["FRAMEWORK"] == "rspec"

# As for the gems that use ActiveRecord: see boot.rb.
Bundler.define_singleton_method(:require) { |*| nil }
