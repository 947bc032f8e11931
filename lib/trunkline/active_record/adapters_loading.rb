# frozen_string_literal: true

require "active_support/dependencies/autoload"

module Trunkline
  module ActiveRecord
    # What has to happen before ActiveRecord::ConnectionAdapters first resolves a name, where ActiveRecord is loaded after this library.
    # ActiveRecord runs no hook then but that of ActiveRecord::Base, which may come later: this one is of the module that ConnectionAdapters is extended by.
    module AdaptersLoading # :nodoc:
      REGISTRY = "ActiveRecord::ConnectionAdapters"
      private_constant :REGISTRY

      @blocks = []

      class << self
        # Keeps the block for it. ActiveRecord is not loaded yet.
        def before_first_name(&block)
          ActiveSupport::Autoload.singleton_class.prepend(self) if @blocks.empty?
          @blocks << block
        end

        # Calls the blocks, each once.
        def call
          @blocks.shift.call until @blocks.empty?
        end
      end

      def extended(namespace)
        super
        namespace.singleton_class.prepend(FirstName) if namespace.name == REGISTRY
      end

      # For the registry.
      module FirstName
        def resolve(name)
          AdaptersLoading.call
          super
        end
      end
      private_constant :FirstName
    end
    private_constant :AdaptersLoading
  end
end
