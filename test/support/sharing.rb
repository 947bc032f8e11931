# frozen_string_literal: true

require "yaml"

# SQL and the classification on it: what changes a session in ways that are easily overlooked, what only looks so, and what applications send.
module Sharing
  EVASIONS = YAML.load_file(File.join(__dir__, "sharing/evasions.yml")).freeze
  FALSE_ALARMS = YAML.load_file(File.join(__dir__, "sharing/false_alarms.yml")).freeze
  APPLICATIONS = YAML.load_file(File.join(__dir__, "sharing/applications.yml")).freeze
end
