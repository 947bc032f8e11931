# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  module ActiveRecord
    # The keys of database.yml. Libraries and applications have keys of their own there, which the stock adapter passes over, so that an unknown
    # one is let be, as in the stock adapter. One that is a slip away from one that is known is an error: session_functions or sslmode, misspelt,
    # must not seem to hold.
    module Keys # :nodoc:
      OWN = %i[server_connections max_server_connections session_functions errors].freeze
      # ActiveRecord's and Rails', of all databases.
      RAILS = %i[
        adapter advisory_locks automatic_savepoints checkout_timeout collation connection_limit connection_retries ctype database database_tasks
        default_timezone encoding establish_connection idle_timeout insert_returning keepalive lazy_schema_cache max_age max_connections max_queue
        max_threads migrations_paths min_connections min_messages min_threads name owner password pool pool_jitter prepared_statements
        prevent_writes query_cache reaping_frequency replica requiressl retry_deadline role schema_cache_path schema_dump schema_order
        schema_search_path seeds shard statement_limit strict tablespace template timeout url use_metadata_table username variables
      ].freeze
      # Letters that are wrong, missing or too many in a slip. SpellChecker's own measure takes session_timeout for session_functions.
      SLIP = 2
      # One letter counts in a name of so many, two in one of twice as many: in shorter ones (host, port, user) it makes another word.
      SHORT = 5
      private_constant :OWN, :RAILS, :SLIP, :SHORT

      # @param config [Hash{Symbol => Object}] of database.yml
      # @raise [ConfigError] a key is nearly one of those that mean something here
      def self.check(config)
        known = [*OWN, *Config.option_names]
        (config.keys.map(&:to_sym) - known - RAILS).each do |key|
          nearest = known.find { |name| slip?(key.to_s, name.to_s) } or next
          raise ConfigError, "#{key} is no key of database.yml for this adapter: did you mean #{nearest}?"
        end
      end

      def self.slip?(key, name) = DidYouMean::Levenshtein.distance(key, name) <= [SLIP, name.size / SHORT].min
      private_class_method :slip?
    end
    private_constant :Keys
  end
end
