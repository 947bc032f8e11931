# frozen_string_literal: true

require "active_support/lazy_load_hooks"
require_relative "isolation"

# ActiveRecord learns of `adapter: trunkline` when it is loaded; the adapter itself is loaded when it is used.
ActiveSupport.on_load(:active_record) do
  ActiveRecord::ConnectionAdapters.register("trunkline", "ActiveRecord::ConnectionAdapters::TrunklineAdapter",
                                            "active_record/connection_adapters/trunkline_adapter")
  ActiveRecord::Tasks::DatabaseTasks.register_task(/\Atrunkline\z/, "ActiveRecord::Tasks::PostgreSQLDatabaseTasks")
end

ActiveSupport.on_load(:after_initialize) do
  ActiveSupport.on_load(:active_record) { Trunkline::ActiveRecord.const_get(:Isolation).check_application }
end
