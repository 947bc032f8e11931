# frozen_string_literal: true

require "minitest"

# Leaves out the tests whose names, "Suite#test", are the lines of LEFT_OUT.
module LeavingOut
  NAMES = ENV.fetch("LEFT_OUT").split("\n")
  NUMBER = /\Atest_\d{4}_/ # which Minitest::Spec gives a test of its place in the file
  private_constant :NUMBER
  @met = []

  class << self
    # @return [Array<String>] those that would have run
    attr_reader :met

    # @param suite [Class, String]
    # @param test [String] a method's name
    # @return [String] "Suite#test", of a spec "Suite#what it says"
    def name_of(suite, test) = "#{suite}##{test.sub(NUMBER, "")}"
  end

  def runnable_methods = super.reject { |name| NAMES.include?(test = LeavingOut.name_of(self, name)) && LeavingOut.met.push(test) }
end

Minitest::Test.singleton_class.prepend(LeavingOut)
