# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/pgbouncer"

module Hosts
  # ActiveRecord's adapter behind a pooler in transaction mode, beside the stock one.
  class PooledActiveRecordTest < Trunkline::TestCase
    include Trunkline::ActiveRecordHost

    # What an application does that works with the stock adapter there.
    WORKING = {
      "settings of a transaction" => ->(db) { db.transaction { db.execute("SET LOCAL work_mem = '5MB'") && db.select_value("SHOW work_mem") } },
      "temporary table of a transaction" => lambda do |db|
        db.transaction { db.execute("CREATE TEMP TABLE x (i int) ON COMMIT DROP") && db.execute("INSERT INTO x VALUES (7)") && db.select_value("SELECT i FROM x") }
      end,
      "lock of a transaction" => ->(db) { db.transaction { db.select_value("SELECT pg_try_advisory_xact_lock(9)") } },
      "cursor of a transaction" => ->(db) { db.transaction { db.execute("DECLARE c CURSOR FOR SELECT 5 AS five") && db.select_value("FETCH 1 FROM c") } },
      "savepoints" => lambda do |db|
        db.transaction { db.transaction(requires_new: true) { db.execute("SELECT 1/0") } rescue db.select_value("SELECT 6") } # rubocop:disable Style/RescueModifier
      end,
      "binds" => ->(db) { Array.new(5) { |number| db.select_value("SELECT $1::int", "q", [ActiveRecord::Relation::QueryAttribute.new("n", number, ActiveModel::Type::Integer.new)]) } },
      "time zone" => ->(db) { db.execute("SET TIME ZONE 'UTC'") && db.select_value("SHOW TimeZone") },
      "a block of PL/pgSQL" => ->(db) { db.execute("DO $$ BEGIN PERFORM 1; END $$") && 1 },
      "several statements" => ->(db) { db.execute("SELECT 1; SELECT 8").first },
      "explain" => ->(db) { db.select_values("EXPLAIN SELECT 1").size }
    }.freeze
    # What the stock adapter passes on, and is lost, or is another client's.
    SILENT = ["SET app.leak = 'mine'", "SET lock_timeout = '1s'", "LISTEN jobs", "CREATE TEMP TABLE y (i int)", "SELECT pg_advisory_lock(5)",
              "SELECT set_config('app.leak', 'mine', false)", "PREPARE p AS SELECT 1"].freeze
    private_constant :WORKING, :SILENT

    # PgBouncer gives each transaction another server session, of which there are two here.
    def test_a_pooler_in_between
      pooled(prepared_statements: false) do
        with_model("name text") do |model|
          written = Array.new(10) do |number|
            Thread.new do
              model.transaction { model.create!(name: "n#{number}") && model.create!(name: "m#{number}") }
              [number, model.where(name: ["n#{number}", "m#{number}"]).order(:name).pluck(:name)]
            ensure
              Ours.connection_pool.release_connection
            end
          end.map(&:value)
          assert_equal Array.new(10) { |number| [number, ["m#{number}", "n#{number}"]] }, written
          assert_raises(::ActiveRecord::RecordNotUnique) { model.create!(id: model.first.id) }
          assert_equal [20, 90], [model.count, ours.select_value("SELECT '1 min 30 s'::interval").then { |text| ActiveSupport::Duration.parse(text).to_i }]
        end
      end
    end

    def test_what_works_with_the_stock_adapter_works
      [false, true].each do |prepared|
        pooled(prepared_statements: prepared) do |access|
          connect_stock(**access, prepared_statements: false)
          WORKING.each { |what, work| assert_equal work.call(stock), work.call(ours), what }
        end
      end
    end

    def test_what_would_be_wrong_in_silence_is_an_error
      pooled(prepared_statements: false) do
        SILENT.each do |sql|
          error = assert_raises(::ActiveRecord::StatementInvalid, sql) { ours.execute(sql) }
          assert_match(/the pooler in between.*session_url:/, error.message)
          assert_raises(::ActiveRecord::StatementInvalid, sql) { Ours.transaction { ours.execute(sql) } }
        end
        assert_equal 1, ours.select_value("SELECT 1")
      end
    end

    def test_the_address_of_the_server_itself_and_a_declared_pooler
      [{ session_url: postgres_server.uri }, { pooler: "session" }].each do |way|
        pooled(**way) do
          (SILENT - (way[:pooler] ? ["LISTEN jobs"] : [])).each { |sql| ours.execute(sql) }
          assert_equal "mine", ours.select_value("SELECT current_setting('app.leak')") unless way[:pooler]
          Ours.connection_pool.release_connection
        end
      end
    end

    # One migration at a time, as without a pooler; and with a lock that is gone behind it.
    def test_the_lock_of_migrations
      pooled(prepared_statements: false) do |access|
        other = Class.new(::ActiveRecord::Base) { self.abstract_class = true }
        Hosts.const_set(:OtherMigrator, other)
        other.establish_connection(adapter: "trunkline", **self.access, **access)
        assert_equal [true, false], [ours, other.lease_connection].map { |db| db.get_advisory_lock(77) }
        assert_equal 3, ours.select_value("SELECT 3")
        assert ours.release_advisory_lock(77)
        assert other.lease_connection.get_advisory_lock(77)
        assert other.lease_connection.release_advisory_lock(77)
        assert_equal ["0"], psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
      ensure
        other&.remove_connection
        Hosts.send(:remove_const, :OtherMigrator) if other
      end
    end

    private

    # @yieldparam access [Hash] of the pooler
    def pooled(**options)
      PgBouncer.open(postgres_server, pool: 2) do |pooler|
        uri = URI(pooler.uri)
        access = { host: uri.host, port: uri.port }
        connect(**access, checkout_timeout: 60, **options)
        yield access
      ensure
        Ours.remove_connection
      end
    end
  end
end
