# frozen_string_literal: true

# What comes before the tests of an application. Its own files load everything else, in this mode's versions and by the line in its Gemfile.
require "bundler/setup"
if ENV["FRAMEWORK"] == "rspec"
  require_relative "../suites/agreement_in_specs"
else
  require_relative "../suites/journal"
  require_relative "../suites/agreement_in_tests"
end
