# frozen_string_literal: true

require "yaml"

# Why tests of ActiveRecord's own may fail here, by their names: "Suite#test".
module ActiveRecordExclusions
  module_function

  # @return [Hash{String => String}] those that ask for what only the stock adapter has, or fail with it too
  def different = load("excluded")

  # @return [Hash{String => String}] those that a slow or a halting machine lets fail, with any adapter
  def timed = load("timed")

  def load(name)
    suites = YAML.load_file(File.join(__dir__, "#{name}.yml"))
    suites.flat_map { |suite, tests| tests.map { |test, reason| ["#{suite}##{test}", reason] } }.to_h
  end
  private_class_method :load
end
