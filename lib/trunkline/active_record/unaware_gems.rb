# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # Gems that compare the adapter's name in the configuration with "postgresql": under `adapter: trunkline` they do less, or something else, than
    # the application expects. This warns at the start. Gems that load a file by the adapter's name find one in lib/.
    module UnawareGems # :nodoc:
      # By the gem's name: its behaviour without PostgreSQL's name.
      GEMS = {
        "ahoy_matey" => "raises Adapter not supported for properties of events, and makes their column text and not jsonb",
        "database_consistency" => "skips its checks of PostgreSQL's enums, arrays and citext",
        "datadog" => "names its spans trunkline.query and not postgres.query",
        "lockbox" => "generates audits with a column text and not jsonb",
        "newrelic_rpm" => "calls the database ActiveRecord and not Postgres, and explains no slow statements",
        "pay" => "makes its columns json and not jsonb",
        "pghero" => "refuses the database (Invalid connection URL)",
        "rollups" => "refuses dimensions",
        "sentry-rails" => "calls the database's system trunkline and not postgresql",
        "solid_cache" => "installs no cache_structure.sql where the format of the schema is sql",
        "strong_migrations" => "generates an initializer without PostgreSQL's timeouts"
      }.freeze
      private_constant :GEMS

      module_function

      # @param loaded [Array<String>] names of the gems that the application has
      # @return [void]
      def check(loaded = Gem.loaded_specs.keys)
        return if ::ActiveRecord::Base.connection_handler.connection_pool_list(:all).none? { |pool| pool.db_config.adapter == Registration::OWN }

        told = GEMS.slice(*loaded).map { |name, deed| "#{name} #{deed}" }
        return if told.empty?

        warn("trunkline: these gems look for the name postgresql in the configuration: #{told.join("; ")}. Write `gem \"trunkline\", require: " \
             "\"trunkline/postgresql\"` in the Gemfile and `adapter: postgresql` in database.yml, which means this adapter then")
      end
    end
    private_constant :UnawareGems
  end
end
