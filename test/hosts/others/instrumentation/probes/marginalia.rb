# frozen_string_literal: true

require "active_record/connection_adapters/postgresql_adapter" # it looks at adapters that are loaded
require "marginalia/railtie"

# The comments in statements, as the events have them.
module Probe
  module_function

  def watch(&block)
    told = []
    ActiveSupport::Notifications.subscribed(->(event) { told << event.payload[:sql] unless event.payload[:name] == "SCHEMA" }, "sql.active_record", &block)
    told
  end
end
