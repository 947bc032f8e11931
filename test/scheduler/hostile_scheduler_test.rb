# frozen_string_literal: true

require "suites"

# The client under schedulers that do whatever the interface does not forbid.
module UnderHostileScheduler
  {
    Inline: { inline: true },
    InlineYielding: { inline: true, yielding: true, without: %i[yield timeout_after closed?] },
    Spurious: { spurious: 0.2 },
    Reordering: { reorder: true },
    Forgetful: { forgetful: true, without: %i[yield] },
    Everything: { inline: true, spurious: 0.1, reorder: true, without: %i[yield closed?] }
  }.each do |name, hostility|
    const_set("#{name}Test", Class.new(Trunkline::TestCase) do
      include Hosts::Hostile
      include Suites::Concurrent

      define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end)
  end
end
