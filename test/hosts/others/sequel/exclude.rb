# frozen_string_literal: true

require "minitest"
require "yaml"

# Leaves out the tests that exclusions.yml names, each with a reason, and says so at the end.
module Exclusions
  REASONS = YAML.load_file(File.join(__dir__, "exclusions.yml"))
  NUMBER = /\Atest_\d+_/
  @met = []

  class << self
    attr_reader :met
  end

  def runnable_methods
    super.reject { |name| REASONS.key?(test = "#{self}: #{name.sub(NUMBER, "")}") && Exclusions.met.push(test) }
  end
end

Minitest::Test.singleton_class.prepend(Exclusions)
Minitest.after_run do
  Exclusions.met.uniq.each { |test| puts "left out: #{test} (#{Exclusions::REASONS.fetch(test)})" }
end
