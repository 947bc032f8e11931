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
      include Shared::SeveralEventLoops unless hostility[:spurious]

      # Without the hook, Ruby's Timeout raises in whichever fiber runs.
      undef_method(:test_a_timeout_around_a_query_is_its_callers_own) if hostility[:without]&.include?(:timeout_after)

      # What waits by Fiber.yield goes back to the fiber that asked the Enumerator, where its fiber does not block (as on Ruby 3.1).
      if hostility[:yielding] && !Enumerator.new { |yielder| yielder << Fiber.current.blocking? }.next
        instance_methods.grep(/\Atest_.*_enumerator/).each { |name| undef_method(name) }
      end

      define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end)
  end
end
