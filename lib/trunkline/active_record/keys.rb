# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  module ActiveRecord
    # The keys of database.yml. Others may have keys of their own there, so that an unknown one is an error only where it looks like one that
    # is known: session_functions, misspelt, must not seem to hold.
    module Keys # :nodoc:
      OWN = %i[server_connections max_server_connections session_functions].freeze
      # ActiveRecord's and Rails', of all databases.
      RAILS = %i[
        adapter advisory_locks automatic_savepoints checkout_timeout collation connection_limit connection_retries ctype database database_tasks
        default_timezone encoding establish_connection idle_timeout insert_returning keepalive lazy_schema_cache max_age max_connections max_queue
        max_threads migrations_paths min_connections min_messages min_threads name owner password pool pool_jitter prepared_statements
        prevent_writes query_cache reaping_frequency replica requiressl retry_deadline role schema_cache_path schema_dump schema_order
        schema_search_path seeds shard statement_limit strict tablespace template timeout url use_metadata_table username variables
      ].freeze
      private_constant :OWN, :RAILS

      # @param config [Hash{Symbol => Object}] of database.yml
      # @raise [ConfigError] a key is nearly one of those that mean something here
      def self.check(config)
        known = [*OWN, *Config.option_names]
        (config.keys.map(&:to_sym) - known - RAILS).each do |key|
          nearest = DidYouMean::SpellChecker.new(dictionary: known).correct(key).first or next
          raise ConfigError, "#{key} is no key of database.yml for this adapter: did you mean #{nearest}?"
        end
      end
    end
    private_constant :Keys
  end
end
