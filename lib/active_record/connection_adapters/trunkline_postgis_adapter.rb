# frozen_string_literal: true

require "active_record/connection_adapters/trunkline_adapter"
require "active_record/connection_adapters/postgis_adapter"

module ActiveRecord
  module ConnectionAdapters
    # The adapter of activerecord-postgis-adapter on Trunkline's connections: `adapter: postgis` in database.yml, with `require:
    # "trunkline/postgresql"` in the Gemfile. See guides/rails.md.
    class TrunklinePostGISAdapter < PostGISAdapter
      include Trunkline::ActiveRecord::Adapter

      # The gem stores them in its own class, where an application may change them.
      def self.native_database_types = PostGISAdapter.native_database_types # :nodoc:
    end
  end
end
