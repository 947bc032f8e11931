# frozen_string_literal: true

# ros-apartment searches this file for the tenants of an adapter of this name: they are PostgreSQL's.
require "apartment/adapters/postgresql_adapter"

module Apartment
  # ros-apartment's module.
  module Tenant
    # @param config [Hash{Symbol => Object}] of database.yml
    # @return [Apartment::Adapters::AbstractAdapter] as for `adapter: postgresql`
    def self.trunkline_adapter(config) = postgresql_adapter(config)
  end
end
