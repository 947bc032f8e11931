# frozen_string_literal: true

require "active_support/lazy_load_hooks"
require_relative "../config/stock_names"
require_relative "adapters_loading"
require_relative "isolation"
require_relative "postgis_name"
require_relative "several_hosts"
require_relative "shadowed_url"
require_relative "unaware_gems"

module Trunkline
  module ActiveRecord
    # Registers the names of the adapter, which is loaded on first use.
    module Registration # :nodoc:
      CLASS = "ActiveRecord::ConnectionAdapters::TrunklineAdapter"
      PATH = "active_record/connection_adapters/trunkline_adapter"
      OWN = "trunkline"
      STOCK = "postgresql"
      private_constant :CLASS, :PATH, :STOCK

      @taken_over = false

      module_function

      # Registers a name: at once if ActiveRecord is loaded, else when it is.
      def register(name)
        when_loaded { ::ActiveRecord::ConnectionAdapters.register(name, CLASS, PATH) }
        ActiveSupport.on_load(:active_record) { ::ActiveRecord::ConnectionAdapters.register(name, CLASS, PATH) }
      end

      # Calls the block with ActiveRecord's registry: at once if ActiveRecord is loaded, else before the registry first resolves a name.
      def when_loaded(&)
        return yield if active_record?

        AdaptersLoading.before_first_name(&)
      end

      # `adapter: trunkline`.
      def begin
        register(OWN)
        ActiveSupport.on_load(:active_record) { SeveralHosts.support }
        SeveralHosts.support if active_record?
        ActiveSupport.on_load(:active_record) do
          ::ActiveRecord::Tasks::DatabaseTasks.register_task(/\Atrunkline\z/, "ActiveRecord::Tasks::PostgreSQLDatabaseTasks")
        end
        ActiveSupport.on_load(:after_initialize) do
          ShadowedURL.check(self)
          ActiveSupport.on_load(:active_record) do
            Isolation.check_application
            UnawareGems.check
          end
        end
      end

      # Also `adapter: postgresql` and `adapter: postgis`, unless the environment variable opts out.
      #
      # @raise [ConfigError] the variable has another value
      def take_over(env = ENV)
        return unless StockNames.taken?(env)

        @taken_over = true
        register(STOCK)
        ActiveSupport.on_load(:active_record) { PostGISName.register }
        PostGISName.register if active_record?
      end

      # @return [Boolean] whether it is loaded, and not only a module of that name
      def active_record? = defined?(::ActiveRecord) && ::ActiveRecord.respond_to?(:gem_version)

      # @param adapter [String] of a database configuration
      # @return [Boolean] whether it means this library's adapter
      def ours?(adapter) = adapter == OWN || (@taken_over && [STOCK, PostGISName::NAME].include?(adapter))
    end
    private_constant :Registration
  end
end

Trunkline::ActiveRecord.const_get(:Registration).begin
