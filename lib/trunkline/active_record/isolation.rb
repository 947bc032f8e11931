# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # If an event loop serves requests, and connections belong to threads, its fibers use each other's transactions.
    module Isolation # :nodoc:
      LINE = "config.active_support.isolation_level = :fiber"
      private_constant :LINE

      @warned = false

      module_function

      # Warns once; not in a program without an event loop, or with the line.
      def check
        return if @warned || Fiber.scheduler.nil? || by_fiber?

        @warned = true
        warn("adapter: trunkline: an event loop runs here, and all fibers of its thread share one connection of ActiveRecord's, with its " \
             "transactions: add `#{LINE}` to config/application.rb")
      end

      # Called when the application has been loaded; does nothing if it has no database of this adapter.
      def check_application
        check if ::ActiveRecord::Base.connection_handler.connection_pool_list(:all).any? { |pool| Registration.ours?(pool.db_config.adapter) }
      end

      # While an application starts, its configuration has the level: Rails sets it after the initializers.
      def by_fiber? = [ActiveSupport::IsolatedExecutionState.isolation_level, configured].include?(:fiber)

      def configured
        config = ::Rails.application&.config if defined?(::Rails) && ::Rails.respond_to?(:application)
        config.active_support.isolation_level if config.respond_to?(:active_support)
      end
      private_class_method :by_fiber?, :configured
    end
    private_constant :Isolation
  end
end
