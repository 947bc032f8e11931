# frozen_string_literal: true

require "suites"
require "support/schedulers/event_machine_host"

# The client in fibers on EventMachine's loop.
class UnderEventMachineTest < Trunkline::TestCase
  include Hosts::EventMachine
  include Suites::All
end
