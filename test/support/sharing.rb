# frozen_string_literal: true

require "yaml"

# SQL and its classification: statements that change a session in ways that are easily overlooked, statements that only seem to, and statements of
# applications.
module Sharing
  # What a session has that a new one has not.
  PROBE = <<~SQL
    SELECT 'setting ' || name FROM pg_settings WHERE source = 'session'
    UNION ALL SELECT 'setting x.y' WHERE current_setting('x.y', true) <> ''
    UNION ALL SELECT 'role ' || current_user WHERE current_user <> session_user
    UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
    UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
    UNION ALL SELECT 'channel ' || channel FROM pg_listening_channels() AS channel
    UNION ALL SELECT 'statement ' || name FROM pg_prepared_statements WHERE from_sql
    UNION ALL SELECT 'slot ' || slot_name FROM pg_replication_slots WHERE active_pid = pg_backend_pid()
    UNION ALL SELECT 'temporary objects' WHERE pg_my_temp_schema() <> 0
  SQL
  EVASIONS = YAML.load_file(File.join(__dir__, "sharing/evasions.yml")).freeze
  FALSE_ALARMS = YAML.load_file(File.join(__dir__, "sharing/false_alarms.yml")).freeze
  APPLICATIONS = YAML.load_file(File.join(__dir__, "sharing/applications.yml")).freeze
end
