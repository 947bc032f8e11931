# frozen_string_literal: true

# What comes before the tests of an application. Its own files load everything else, in this mode's versions and by the line in its Gemfile.
require "bundler/setup"
if ENV["FRAMEWORK"] == "rspec"
  require_relative "../suites/spec_journal"
  require_relative "../suites/agreement"

  RSpec.configure do |config|
    config.before(:suite) { Agreement.begin }
    config.append_after do
      differences = Agreement.taken
      raise differences.join("\n") if differences.any?
    end
  end
else
  require_relative "../suites/journal"
  require_relative "../suites/agreement_in_tests"
end
