# frozen_string_literal: true

require "yaml"

# SQL and its classification: statements that change a session in ways that are easily overlooked, statements that only seem to, and statements of
# applications.
module Sharing
  EVASIONS = YAML.load_file(File.join(__dir__, "sharing/evasions.yml")).freeze
  FALSE_ALARMS = YAML.load_file(File.join(__dir__, "sharing/false_alarms.yml")).freeze
  APPLICATIONS = YAML.load_file(File.join(__dir__, "sharing/applications.yml")).freeze
end
