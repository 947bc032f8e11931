# frozen_string_literal: true

require "did_you_mean"

module Trunkline
  module ActiveRecord
    # Checks the keys of database.yml. Libraries and applications have keys of their own there, which the stock adapter ignores, so unknown keys are
    # ignored here too. But a key that is nearly a known one is an error: a misspelt session_functions or sslmode must not be ignored.
    module Keys # :nodoc:
      # Limits of the client that have another name in ActiveRecord.
      ELSEWHERE = {
        max_wait: :checkout_timeout, max_statements: :statement_limit, connections: :server_connections, prepare: :prepared_statements
      }.freeze
      # Limits of the client with the same name here.
      LIMITS = (Limits::DEFAULTS.keys - ELSEWHERE.keys - %i[failover_wait silence]).freeze
      OWN = [*%i[server_connections max_server_connections failover_wait silence session_functions errors replicas], *LIMITS].freeze
      # Keys that are not allowed, and the reasons.
      UNFIT = {
        group_commit: "it is for statements outside of a transaction, and ActiveRecord saves within one",
        decode: "ActiveRecord's types decode its values", keys: "a row's keys are ActiveRecord's", logger: "ActiveRecord writes its queries to its own",
        middlewares: "subscribe to sql.active_record", slow: "subscribe to sql.active_record, which reports the time of each query"
      }.freeze
      # Keys of ActiveRecord and Rails, for all databases.
      RAILS = %i[
        adapter advisory_locks automatic_savepoints checkout_timeout collation connection_limit connection_retries ctype database database_tasks
        default_timezone encoding establish_connection idle_timeout insert_returning keepalive lazy_schema_cache max_age max_connections max_queue
        max_threads migrations_paths min_connections min_messages min_threads name owner password pool pool_jitter prepared_statements
        prevent_writes query_cache reaping_frequency replica requiressl retry_deadline role schema_cache_path schema_dump schema_order
        schema_search_path seeds shard statement_limit strict tablespace template timeout url use_metadata_table username variables
      ].freeze
      # ActiveRecord's keys that affect the server or its connections, and that are long enough to be distinguished from others' keys.
      HONOURED = %i[
        username database encoding variables prepared_statements statement_limit schema_search_path min_messages checkout_timeout insert_returning
        idle_timeout advisory_locks reaping_frequency connection_retries retry_deadline migrations_paths query_cache database_tasks default_timezone
      ].freeze
      # Settings of the server that applications have under `variables`. The server refuses an unknown one, but does not suggest the right name.
      SETTINGS = %i[
        application_name client_min_messages default_transaction_isolation default_transaction_read_only effective_cache_size enable_seqscan
        idle_in_transaction_session_timeout idle_session_timeout intervalstyle lock_timeout log_min_duration_statement maintenance_work_mem
        max_parallel_workers_per_gather plan_cache_mode random_page_cost search_path session_replication_role statement_timeout
        synchronous_commit temp_buffers timezone transaction_timeout work_mem
      ].freeze
      # Several hosts use the keys of one, with commas.
      LISTS = { hosts: "host: one.example,two.example", ports: "port: 5432,5433" }.freeze
      # Wrong, missing or additional letters in a slip; two neighbours that are exchanged count as one. SpellChecker's own limit takes
      # session_timeout for session_functions.
      SLIP = 2
      # One letter is allowed in a name of so many, two in one of twice as many: in shorter names (host, port, user), one makes another word.
      SHORT = 5
      private_constant :ELSEWHERE, :OWN, :UNFIT, :RAILS, :HONOURED, :SETTINGS, :LISTS, :SLIP, :SHORT

      # @param config [Hash{Symbol => Object}] of database.yml
      # @raise [ConfigError] a key is nearly a known one
      def self.check(config)
        check_variables(config[:variables])
        check_nested(config)
        known = [*OWN, *Config.option_names, *HONOURED]
        (config.keys.map(&:to_sym) - known - RAILS).each do |key|
          raise ConfigError, "#{key} is no key of database.yml for this adapter: #{advice(key, known) || next}"
        end
      end

      def self.advice(key, known)
        return "several are named as in #{LISTS[key]}" if LISTS.key?(key)
        return "its name is #{ELSEWHERE[key]} there" if ELSEWHERE.key?(key)
        return UNFIT[key] if UNFIT.key?(key)

        spelling = nearest(key, known)
        "did you mean #{spelling}?" if spelling
      end

      def self.check_variables(given)
        return if given.nil?
        raise ConfigError, "variables must be a Hash, as in variables: { statement_timeout: 5000 }, not #{given.class} (database.yml)" unless given.is_a?(Hash)

        (given.keys.map { |name| name.to_s.downcase.to_sym } - SETTINGS).each do |name|
          spelling = nearest(name, SETTINGS) or next
          raise ConfigError, "variables: #{name} is no setting of PostgreSQL: did you mean #{spelling}? (database.yml)"
        end
      end

      # Keys that were indented too far, or belong to a driver that groups its keys. If all values are Hashes, Rails takes the key for the name of a
      # database.
      def self.check_nested(config)
        config.each do |key, value|
          next unless value.is_a?(Hash) && key.to_sym != :variables

          nested = value.keys.map(&:to_sym)
          own = nested.find { |name| nearest(name, OWN) } or next
          raise ConfigError, "#{key}: #{own} is nested in #{key}, where nothing reads it: write #{nearest(own, OWN)} beside adapter in database.yml"
        end
      end

      # @return [Symbol, nil] the known name with the fewest differences, if these are no more than a slip
      def self.nearest(key, known) = known.filter_map { |name| slip(key.to_s, name.to_s)&.then { |letters| [letters, name] } }.min_by(&:first)&.last

      # In a name of any length, two neighbours that are exchanged make no other word.
      def self.slip(key, name)
        return 1 if exchanged?(key, name)

        letters = DidYouMean::Levenshtein.distance(key, name)
        letters if letters <= [SLIP, name.size / SHORT].min
      end

      def self.exchanged?(key, name)
        at = (0...name.size).find { |index| key[index] != name[index] }
        !at.nil? && key.size == name.size && key[at, 2] == name[at, 2].reverse && key[(at + 2)..] == name[(at + 2)..]
      end
      private_class_method :advice, :check_variables, :check_nested, :nearest, :slip, :exchanged?
    end
    private_constant :Keys
  end
end
