# frozen_string_literal: true

require "suites"

# The client under a scheduler that records every misuse.
class UnderReferenceSchedulerTest < Trunkline::TestCase
  include Hosts::Reference
  include Suites::All
end
