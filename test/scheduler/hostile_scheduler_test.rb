# frozen_string_literal: true

require "suites"
require "support/hostilities"

# The client under schedulers that do whatever the interface does not forbid.
module UnderHostileScheduler
  HOSTILITIES.each do |name, hostility|
    const_set("#{name}Test", Class.new(Trunkline::TestCase) do
      include Hosts::Hostile
      include Suites::Concurrent

      define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end)
  end
end
