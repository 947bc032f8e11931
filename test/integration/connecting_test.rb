# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/backend_messages"
require "support/database_helpers"
require "support/scripted_server"

module Trunkline
  # What is asked of a connection arrives at a real server.
  class ConnectingTest < TestCase
    include BackendMessages
    include DatabaseHelpers

    HBA = <<~HBA
      local all all           trust
      host  all all 127.0.0.1/32 scram-sha-256
    HBA
    private_constant :HBA

    def test_sessions_start_as_requested
      env = { "PGTZ" => "Asia/Kolkata", "PGDATESTYLE" => "DMY", "PGGEQO" => "off" }
      config = Config.new("#{postgres_server.uri}&options=-c%20work_mem%3D3MB&fallback_application_name=fallback", env: env)
      with_client_of(config) do |db|
        asked = %w[TimeZone DateStyle geqo work_mem application_name client_encoding].map { |name| db.value("SELECT current_setting($1)", name) }
        assert_equal ["Asia/Kolkata", "ISO, DMY", "off", "3MB", "fallback", "UTF8"], asked
        assert_equal [Date.new(2026, 2, 1), Time.at(0)], db.query("SELECT '1/2/2026'::date, 'epoch'::timestamptz").rows.first
      end
    end

    def test_what_the_server_notices_at_login_is_told
      script = lambda do |peer|
        peer.startup
        peer << authentication(0) << error("N", "S" => "WARNING", "V" => "WARNING", "M" => "the collation has changed") << session
      end
      told = []
      ScriptedServer.open(script) do |server|
        Trunkline.postgres(server.conninfo, user: "ann", pooler: :session, dbname: "app", connections: 1) do |db|
          db.on_notice { |fields| told << [fields[:severity], fields[:message]] }
          assert_raises(NotSent, Indeterminate, ConnectionError) { db.query("SELECT 1") }
        end
      end
      assert_equal ["WARNING", "the collation has changed"], told.first
    end

    # A role may have the genetic optimizer plan for ever. Where one has switched off nested loops, the estimate of the look-up's costs is so high
    # that the server would spend seconds on compiling it.
    def test_the_look_up_of_types_is_neither_compiled_nor_planned_by_the_genetic_optimizer
      settings = []
      options = { "session_preload_libraries" => "auto_explain", "auto_explain.log_min_duration" => 0, "auto_explain.log_settings" => "on",
                  "auto_explain.log_level" => "notice", "enable_nestloop" => "off" }.map { |name, value| "-c #{name}=#{value}" }.join(" ")
      Trunkline.postgres(postgres_server.uri, options: options) do |db|
        db.on_notice { |notice| settings << notice[:message][/^Settings: (.*)/, 1].split(", ").sort if notice[:message].include?("WITH RECURSIVE") }
        db.value("SELECT d FROM pg_range d LIMIT 1")
        db.transaction { |tx| tx.value("SELECT d FROM pg_proc d LIMIT 1") }
      end
      assert_equal [["enable_nestloop = 'off'", "geqo = 'off'", "jit = 'off'"]] * 2, settings
    end

    # The look-up is held up for longer than the role's limit for statements.
    def test_the_look_up_of_types_has_no_part_in_a_short_statement_timeout
      with_hurried_client do |db|
        assert_equal "calm", held_up { db.value("SELECT 'calm'::hurried") }
        assert_raises(QueryCanceled) { db.query("SELECT pg_sleep(1)") }
      end
    end

    def test_nor_has_that_in_a_transaction
      with_hurried_client do |db|
        assert_equal %w[calm 250ms], held_up { db.transaction { |tx| [tx.value("SELECT 'calm'::hurried"), tx.value("SHOW statement_timeout")] } }
        db.transaction do |tx|
          tx.transaction { |savepoint| assert_equal ["calm"], savepoint.value("SELECT ARRAY['calm']::hurried[]") }
          assert_raises(QueryCanceled) { tx.transaction { |savepoint| savepoint.query("SELECT pg_sleep(1)") } }
          assert_equal 1, tx.value("SELECT 1")
        end
      end
    end

    def test_a_look_up_that_fails_does_not_abort_the_transaction
      with_hurried_client(60_000) do |db|
        db.transaction do |tx|
          tx.query("SET LOCAL lock_timeout = 50")
          locked { assert_raises(LockNotAvailable) { tx.value("SELECT 'calm'::hurried") } }
          assert_equal "calm", tx.value("SELECT 'calm'::hurried")
        end
      end
    end

    def test_a_look_up_in_a_transaction_that_has_failed_meanwhile
      with_hurried_client(60_000) do |db|
        assert_raises(InFailedSqlTransaction) do
          db.transaction do |tx|
            calm = tx.async("SELECT 'calm'::hurried")
            tx.async("SELECT 1 / 0")
            assert_raises(InFailedSqlTransaction) { calm.value }
          end
        end
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_by_name
      Trunkline.postgres(postgres_server.tcp_uri.sub("127.0.0.1", "localhost")) do |db|
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_passwords
      with_server(hba: HBA) do |server|
        server.psql("CREATE ROLE ann LOGIN PASSWORD 's3cret'")
        uri = server.tcp_uri(user: "ann")
        from_a_file(uri, server.port)
        from_what_is_called(uri)
        shown_nowhere(uri)
      end
    end

    private

    # A client whose role has so many milliseconds for a statement, and a type that it does not know. A busy machine may hold up any statement for as long:
    # then all is tried again.
    def with_hurried_client(limit = 250)
      psql("CREATE TYPE hurried AS ENUM ('calm')")
      tries = 0
      begin
        @application = unique_name
        with_client(application_name: @application, options: "-c statement_timeout=#{limit}") do |db|
          assert_equal 1, db.value("SELECT 1")
          yield db
        end
      rescue QueryCanceled
        (tries += 1) < 5 ? retry : raise
      end
    ensure
      psql("DROP TYPE hurried")
    end

    def locked(&block) = db_locked("LOCK TABLE pg_catalog.pg_range IN ACCESS EXCLUSIVE MODE", &block)

    # @return [Object] the block's value, whose look-up of types had to wait for longer than the role's limit
    def held_up(&block)
      waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = '#{@application}' AND wait_event_type = 'Lock' " \
                "AND clock_timestamp() - query_start > interval '0.5 s'"
      caller = nil
      locked do
        caller = Thread.new(&block)
        assert eventually { !caller.alive? || psql(waiting).any? }
      end
      caller.value
    end

    def with_client_of(config)
      client = Postgres::Client.new(config)
      yield client
    ensure
      client.close
    end

    def from_a_file(uri, port)
      Dir.mktmpdir do |folder|
        path = "#{folder}/pass"
        File.write(path, "other:*:*:*:wrong\n127.0.0.1:#{port}:postgres:ann:s3cret\n", perm: 0o600)
        assert_equal "ann", connected(uri, passfile: path) { |db| db.value("SELECT current_user::text") }
        File.chmod(0o644, path)
        error = assert_raises(ConfigError) { connected(uri, passfile: path) { |db| db.query("SELECT 1") } }
        assert_includes error.message, "others than its owner"
        assert_nil error.sqlstate
      end
    end

    def from_what_is_called(uri)
      passwords = %w[wrong s3cret]
      connected(uri, password: -> { passwords.shift }) do |db|
        assert_raises(LoginError) { db.query("SELECT 1") }
        assert_equal 1, db.value("SELECT 1")
      end
      assert_empty passwords
    end

    def shown_nowhere(uri)
      connected(uri.sub("ann@", "ann:s3cret@")) do |db|
        assert_equal 1, db.value("SELECT 1")
        refute_includes db.inspect, "s3cret"
      end
      error = assert_raises(LoginError) { connected(uri.sub("ann@", "ann:s3cre7@")) { |db| db.query("SELECT 1") } }
      refute_includes error.full_message, "s3cre7"
      assert_raises(ConnectionError) { connected(uri, passfile: "/nowhere") { |db| db.query("SELECT 1") } }
    end

    def db_locked(sql)
      connection = ::PG.connect(postgres_server.uri)
      connection.transaction do
        connection.exec(sql)
        yield
      end
    ensure
      connection&.close
    end

    def connected(uri, **options, &block) = Trunkline.postgres(uri, connections: 1, **options, &block)
  end
end
