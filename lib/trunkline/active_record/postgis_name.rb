# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # `adapter: postgis`, if the stock adapter's name means this library's: the gem's class with this library's connections. The gem registers its own
    # class when it is loaded, which may be later than this.
    module PostGISName # :nodoc:
      NAME = "postgis"
      PATH = "active_record/connection_adapters/trunkline_postgis_adapter"
      private_constant :PATH

      # Registers it; ActiveRecord is loaded.
      def self.register = ::ActiveRecord::ConnectionAdapters.singleton_class.prepend(self)

      # @raise [ActiveRecord::AdapterNotFound] the gem is not installed
      def resolve(name)
        stock = super
        return stock unless name.to_s == NAME

        require PATH
        ::ActiveRecord::ConnectionAdapters::TrunklinePostGISAdapter
      end
    end
    private_constant :PostGISName
  end
end
