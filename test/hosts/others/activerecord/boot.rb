# frozen_string_literal: true

# What comes before some files of ActiveRecord's own tests.
require "bundler/setup"
require "active_record"
require "trunkline"
require_relative "../suites/journal"
require_relative "../suites/agreement_in_tests" if ENV["AGREEMENT"]
