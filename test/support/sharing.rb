# frozen_string_literal: true

require "yaml"

# SQL and the verdict on it: what changes a session in ways that are easily overlooked, and what only looks so.
module Sharing
  EVASIONS = YAML.load_file(File.join(__dir__, "sharing/evasions.yml")).freeze
  FALSE_ALARMS = YAML.load_file(File.join(__dir__, "sharing/false_alarms.yml")).freeze
end
