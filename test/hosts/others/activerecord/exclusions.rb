# frozen_string_literal: true

require_relative "../suites/exclusions"

# Why tests of ActiveRecord's own may fail here, by their names: "Suite#test".
module ActiveRecordExclusions
  module_function

  # @return [Hash{String => String}] those that ask for what only the stock adapter has, or fail with it too
  def different = Exclusions.load(File.join(__dir__, "excluded.yml"))

  # @return [Hash{String => String}] the same, of tests that only Rails 8.0 or 8.1 has
  def newer = Exclusions.load(File.join(__dir__, "newer.yml"))

  # @return [Hash{String => String}] those that a slow or a halting machine lets fail, with any adapter
  def timed = Exclusions.load(File.join(__dir__, "timed.yml"))
end
