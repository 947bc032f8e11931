# frozen_string_literal: true

require "suites"
require "support/hostilities"

# The client under schedulers that do whatever the interface does not forbid.
module UnderHostileScheduler
  HOSTILITIES.each do |name, hostility|
    const_set("#{name}Test", Class.new(Trunkline::TestCase) do
      include Hosts::Hostile
      include Suites::Concurrent

      # A fiber woken for nothing may see that another thread has decided to wake it, before the wake-up is under way.
      include Shared::Worlds unless hostility[:spurious]

      # Without the hook, Ruby's Timeout raises in whichever fiber runs.
      undef_method(:test_a_timeout_around_a_query_is_its_callers_own) if hostility[:without]&.include?(:timeout_after)

      define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end)
  end
end
