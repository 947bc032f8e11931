# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/active_record_host"
require "trunkline/active_record/keys"

module Hosts
  module ActiveRecord
    # Every key of database.yml that ActiveRecord or libpq knows is honoured, or refused by its name.
    class KeysTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      # Values that libpq's keys may have, none of them the default.
      LIBPQ = {
        host: "db.example", hostaddr: "127.0.0.2", port: 5433, user: "ada", password: "secret", passfile: "/nowhere/pgpass", dbname: "app",
        connect_timeout: 7, application_name: "app", fallback_application_name: "app", options: "-c work_mem=5MB", client_encoding: "unicode",
        target_session_attrs: "read-write", load_balance_hosts: "random", keepalives: 0, keepalives_idle: 7, keepalives_interval: 7,
        keepalives_count: 7, tcp_user_timeout: 7, requirepeer: "postgres", require_auth: "scram-sha-256", channel_binding: "require",
        min_protocol_version: "3.2", max_protocol_version: "3.2", sslmode: "require", sslnegotiation: "direct", sslcompression: 1,
        sslcertmode: "disable", sslcert: "/nowhere/cert", sslkey: "/nowhere/key", sslpassword: "secret", sslrootcert: "/nowhere/root",
        sslcrl: "/nowhere/crl", sslcrldir: "/nowhere/crls", sslsni: 0, ssl_min_protocol_version: "TLSv1.3", ssl_max_protocol_version: "TLSv1.3"
      }.freeze
      NEEDS = { sslnegotiation: { sslmode: "require" }, min_protocol_version: { max_protocol_version: "3.2" } }.freeze
      REFUSED = %i[
        gssdelegation gssencmode gsslib krbsrvname oauth_ca_file oauth_client_id oauth_client_secret oauth_issuer oauth_scope replication
        scram_client_key scram_server_key sslkeylogfile
      ].freeze
      SERVICE = %i[service servicefile].freeze

      # What ActiveRecord does with these, it does whatever the adapter; see the tests here, and its own.
      ABSTRACT = %i[
        adapter advisory_locks connection_retries database_tasks default_timezone foreign_keys idle_timeout keepalive max_age max_connections
        max_threads migrations_paths min_connections min_threads pool pool_jitter query_cache reaping_frequency replica retry_deadline
        schema_cache_path schema_dump schema_format seeds use_metadata_table verify_timeout
      ].freeze
      # Tested below, or in {SettingsTest}.
      OWN = %i[
        checkout_timeout database encoding host insert_returning min_messages password port prepared_statements schema_order
        schema_search_path statement_limit username variables
      ].freeze
      OF_OTHER_ADAPTERS = %i[socket].freeze
      TASKS = %i[sslcert sslkey sslmode sslrootcert].freeze # for psql and pg_dump, which libpq's keys are
      SOURCES = "active_record/{connection_adapters/{abstract_adapter,abstract/**/*,postgresql*,postgresql/**/*,pool_config},database_configurations/*,tasks/postgresql*}.rb"
      KEY = /(?:configuration_hash|config)(?:\[|\.fetch\(|\.key\?\():(\w+)/
      # Of a name: a letter less, one more, another one, and the last two exchanged.
      SLIPS = [->(name) { name.tap { |text| text[3] = "" } }, ->(name) { name.insert(3, "q") }, ->(name) { name.tap { |text| text[3] = "q" } }, ->(name) { name[0..-3] + name[-2..].reverse }].freeze
      Keys = Trunkline::ActiveRecord.const_get(:Keys)
      private_constant :SLIPS, :Keys, :LIBPQ, :NEEDS, :REFUSED, :SERVICE, :ABSTRACT, :OWN, :OF_OTHER_ADAPTERS, :TASKS, :SOURCES, :KEY

      def test_all_of_active_records_are_known_here
        library = Gem.loaded_specs.fetch("activerecord").full_require_paths.first
        sources = Dir[File.join(library, SOURCES)]
        keys = sources.flat_map { |file| File.read(file, encoding: "UTF-8").scan(KEY).flatten }.uniq.map(&:to_sym)
        assert_includes keys, :statement_limit
        assert_empty keys - ABSTRACT - OWN - OF_OTHER_ADAPTERS - TASKS
      end

      def test_all_of_libpqs_are_known_here
        assert_empty ::PG::Connection.conndefaults_hash.keys - LIBPQ.keys - REFUSED - SERVICE
      end

      def test_those_of_libpq_that_are_honoured
        LIBPQ.each do |name, value|
          config = settings(name => value, **NEEDS.fetch(name, {})).config
          assert_equal "keyword", config.source(name), name.to_s
        end
        assert_equal "require", settings(requiressl: 1).config.sslmode
        assert_equal ["ada", "app"], settings(username: "ada", database: "app").config.then { |config| [config.user, config.dbname] }
      end

      def test_a_service
        Dir.mktmpdir do |folder|
          file = File.join(folder, "services").tap { |name| File.write(name, "[one]\nhost=db.example\n") }
          assert_equal "db.example", settings(service: "one", servicefile: file).config.host
        end
      end

      def test_those_of_libpq_that_are_refused
        REFUSED.each { |name| assert_match(/\A#{name} is refused/, assert_raises(Trunkline::ConfigError) { settings(name => "require") }.message) }
      end

      def test_what_is_no_count_is_refused_by_name
        %i[server_connections max_server_connections statement_limit].each do |name|
          ["many", 0, -1, 1.5].each do |value|
            assert_match(/\A#{name} must be/, assert_raises(Trunkline::ConfigError, value.inspect) { settings(name => value).client }.message)
          end
        end
      end

      def test_several_hosts
        given = settings(host: "one.example,two.example", port: "5432,5433", target_session_attrs: "read-write", failover_wait: "30")
        assert_equal [%w[one.example:5432 two.example:5433], "read-write"], [given.config.hosts.map(&:to_s), given.config.target_session_attrs]
        assert_in_delta 30, given.client.instance_variable_get(:@limits).failover_wait
        assert_equal [2, 0.5, Float::INFINITY], [{}, { silence: "0.5" }, { silence: 0 }].map { |keys|
          settings(**keys).client.instance_variable_get(:@limits).silence
        }
        [-1, "soon"].each do |value|
          assert_match(/\Afailover_wait must be/, assert_raises(Trunkline::ConfigError) { settings(failover_wait: value) }.message)
        end
        error = assert_raises(Trunkline::ConfigError) { settings(hosts: "one.example,two.example") }
        assert_equal "hosts is no key of database.yml for this adapter: several are named as in host: one.example,two.example", error.message
      end

      # All that Trunkline.postgres takes. What is no error has its effect.
      def test_those_of_the_client_are_keys_here_or_the_error_tells_which
        given = Trunkline::Limits::DEFAULTS.keys | Trunkline.method(:postgres).parameters.filter_map { |kind, name| name if kind == :key } - %i[max_connections] # Rails has one of that name
        given.each do |name|
          value = { session_functions: ["f"], prepare: "false", errors: "without_values", replicas: "true", group_commit: true }.fetch(name, "7")
          refute_equal settings.state, settings(name => value).state, name
        rescue Trunkline::ConfigError => error
          assert_match(/\A#{name} is no key of database.yml for this adapter: (its name is (\w+) there|[\w' ]{9,})/, error.message)
          settings(error.message[/its name is (\w+)/, 1].to_sym => value) if error.message.include?("its name is")
        end
      end

      # Numbers from a URL are Strings.
      def test_limits_of_the_client
        limits = settings(max_waiting: "7", max_idle: 0.5, max_lifetime: Float::INFINITY, checkout_timeout: 3, statement_limit: 9).client.instance_variable_get(:@limits)
        assert_equal [7, 0.5, Float::INFINITY, 3, 9], [limits.max_waiting, limits.max_idle, limits.max_lifetime, limits.max_wait, limits.max_statements]
        { max_waiting: "many", max_message: 0, max_futures: 1.5 }.each do |name, value|
          assert_match(/\A#{name} must be .* \(database.yml\)\z/, assert_raises(Trunkline::ConfigError) { settings(name => value) }.message)
        end
        assert_match(/did you mean max_message\?/, assert_raises(Trunkline::ConfigError) { settings(max_mesage: 1) }.message)
      end

      # Each slip of one letter in a name that is long enough: a letter less, one more, another one, and two that are exchanged.
      def test_each_slip_is_named_with_what_was_meant
        names = (Keys.const_get(:OWN) | Trunkline::Config.option_names | %i[username database prepared_statements checkout_timeout statement_limit variables]).select { |name| name.size >= 8 }
        assert_operator names.size, :>, 50
        names.product(SLIPS).each do |name, slip|
          key = slip.call(name.to_s.dup)
          error = assert_raises(Trunkline::ConfigError, key) { Keys.check({ key.to_sym => 1 }) }
          assert_equal "#{key} is no key of database.yml for this adapter: did you mean #{name}?", error.message
        end
      end

      # The nearest of several; in a short name, letters that are exchanged only: another letter makes another word.
      def test_the_nearest_name
        { sslcr: "sslcrl", sslcet: "sslcert", max_mesage: "max_message", sslmoed: "sslmode", prot: "port", hsot: "host", databse: "database",
          advisory_lock: "advisory_locks" }.each do |key, meant|
          assert_match(/did you mean #{meant}\?\z/, assert_raises(Trunkline::ConfigError, key) { Keys.check({ key => 1 }) }.message)
        end
        Keys.check({ post: 1, hosts_file: 1, region: 1, cost: 1, sport: 1, loser: 1 })
      end

      def test_prepared_statements_are_used_or_not
        { nil => true, true => true, "true" => true, false => false, "false" => false }.each do |value, used|
          assert_equal used, settings(prepared_statements: value).instance_variable_get(:@options)[:prepare], value.inspect
        end
        %w[flase no 0].each do |value|
          error = assert_raises(Trunkline::ConfigError, value) { settings(prepared_statements: value) }
          assert_equal "prepared_statements must be true or false, not #{value} (database.yml)", error.message
        end
      end

      def test_statement_limit
        connect(statement_limit: "5", server_connections: 1)
        20.times { |number| 2.times { ours.exec_query("SELECT #{number}", "SQL", [], prepare: true) } }
        assert_includes 1..5, ours.select_value("SELECT count(*) FROM pg_prepared_statements")
      end

      def test_insert_returning
        connect(insert_returning: false, server_connections: 2)
        with_model("name text") do |model|
          ids = 2.times.map { |number| model.create!(name: "n#{number}").id }
          assert_equal [1, 2, 3], [*ids, ours.insert("INSERT INTO #{model.table_name} (name) VALUES ('by hand')")]
          refute_includes logged { model.create!(name: "n3") }.join, "RETURNING"
          refute_predicate ours.raw_connection, :pinned?
        end
      end

      # Another one's, if it were asked.
      def test_what_a_sequence_gave_last_is_known_where_it_gave_it
        with_model("name text") do |model|
          sequence = "#{model.table_name}_id_seq"
          model.create!(name: "Ada")
          error = assert_raises(::ActiveRecord::StatementInvalid) { ours.select_value("SELECT currval('#{sequence}')") }
          assert_instance_of Trunkline::SharedStateError, error.cause.cause
          assert_equal 2, model.transaction { model.create!(name: "Grace") && ours.select_value("SELECT currval('#{sequence}')") }
          refute_predicate ours.raw_connection, :pinned?
        end
      end

      def test_of_a_replica_nothing_is_written
        connect(replica: true)
        assert_raises(::ActiveRecord::ReadOnlyError) { ours.execute("CREATE TABLE never ()") }
        assert_equal 1, ours.select_value("SELECT 1")
      end

      def test_default_timezone
        zone, ENV["TZ"] = ENV.fetch("TZ", nil), "Asia/Tokyo"
        connect(default_timezone: "local", variables: { timezone: "Asia/Tokyo" })
        assert_equal Time.new(2024, 2, 29, 12, 0, 0, "+09:00"), ours.select_value("SELECT '2024-02-29 12:00'::timestamp")
      ensure
        ENV["TZ"] = zone
      end

      def test_without_advisory_locks
        connect(advisory_locks: false)
        refute_predicate ours, :advisory_locks_enabled?
      end

      private

      def settings(**config) = Trunkline::ActiveRecord.const_get(:Settings).new(config, timezone: :utc)

      # @return [Array<String>] the statements of the block
      def logged
        statements = []
        subscriber = ActiveSupport::Notifications.subscribe("sql.active_record") { |*, payload| statements << payload[:sql] }
        yield
        statements
      ensure
        ActiveSupport::Notifications.unsubscribe(subscriber)
      end
    end
  end
end
