# frozen_string_literal: true

require "yaml"

# Why tests of other projects are left out here, or may fail. A file has a reason by the name of the class and of the test.
module Exclusions
  module_function

  # @param file [String] a path
  # @return [Hash{String => String}] reasons by "Suite#test"
  def load(file) = from(YAML.load_file(file))

  # @param reasons [Hash{String => Hash{String => String}}] by suite and test
  # @return [Hash{String => String}] reasons by "Suite#test"
  def from(reasons) = reasons.flat_map { |suite, tests| tests.map { |test, reason| ["#{suite}##{test}", reason] } }.to_h
end
