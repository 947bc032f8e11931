# frozen_string_literal: true

require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "action_controller/railtie"
require "action_cable/engine"
require "rails/test_unit/railtie"
require "trunkline"

# A small application with all that asks a database: its environment says where that is, and what serves it.
module Chat
  class Application < Rails::Application
    config.load_defaults Rails::VERSION::STRING.to_f
    config.eager_load = Rails.env.production?
    config.enable_reloading = false
    config.api_only = true
    config.secret_key_base = "0" * 64
    config.logger = ActiveSupport::Logger.new($stderr)
    config.log_level = :warn
    config.hosts.clear
    config.active_support.isolation_level = ENV.fetch("ISOLATION", "thread").to_sym
    config.active_support.deprecation = :raise
    config.active_record.schema_format = ENV.fetch("SCHEMA_FORMAT", "ruby").to_sym
    config.active_record.async_query_executor = :global_thread_pool
    config.active_record.dump_schema_after_migration = true
    config.active_job.queue_adapter = Rails.env.test? ? :test : :async
    config.action_cable.disable_request_forgery_protection = true
    config.cache_store = :trunkline_store, ENV.fetch("MEMCACHED"), { namespace: ENV.fetch("CACHE_NAMESPACE"), timeout: 20 }
  end
end
