# frozen_string_literal: true

# What comes before each file of ActiveRecord's own tests.
require "bundler/setup"
require "active_record"
require "trunkline"
