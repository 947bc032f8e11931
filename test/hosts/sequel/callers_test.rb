# frozen_string_literal: true

require "test_helper"
require "support/hostilities"
require "support/schedulers/hosts"
require "support/sequel_host"
require "shared/sequel_callers"

# Threads, fibers, and fibers under schedulers that do whatever they may.
module SequelCallersTests
  { "Threads" => Hosts::Threads, "Async" => Hosts::Async, "Reference" => Hosts::Reference }.each do |name, host|
    const_set("#{name}Test", Class.new(Trunkline::TestCase) do
      include Trunkline::SequelHost
      include host
      include Shared::SequelCallers
    end)
  end

  HOSTILITIES.slice(:Inline, :Everything).each do |name, hostility|
    const_set("#{name}Test", Class.new(Trunkline::TestCase) do
      include Trunkline::SequelHost
      include Hosts::Hostile
      include Shared::SequelCallers

      define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end)
  end
end
