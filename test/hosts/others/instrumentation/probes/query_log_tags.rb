# frozen_string_literal: true

# Rails' own comments in statements, as the events have them.
module Probe
  module_function

  def configure(config)
    config.active_record.query_log_tags_enabled = true
    config.active_record.query_log_tags = %i[application controller action]
  end

  def watch(&block)
    told = []
    ActiveSupport::Notifications.subscribed(->(event) { told << event.payload[:sql] unless event.payload[:name] == "SCHEMA" }, "sql.active_record", &block)
    told
  end
end
