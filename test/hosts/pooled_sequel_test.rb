# frozen_string_literal: true

require "test_helper"
require "support/sequel_host"
require "support/pgbouncer"

module Hosts
  # Sequel's adapter behind a pooler in transaction mode, beside Sequel's own.
  class PooledSequelTest < Trunkline::TestCase
    include Trunkline::SequelHost

    # What an application does that works with Sequel's own adapter there.
    WORKING = {
      "settings of a transaction" => ->(db) { db.transaction { db.run("SET LOCAL work_mem = '5MB'") || db.get(Sequel.lit("current_setting('work_mem')")) } },
      "temporary table of a transaction" => lambda do |db|
        db.transaction { db.create_table(:x, temp: true, on_commit: :drop) { Integer :i } || db[:x].insert(i: 7) || db[:x].get(:i) }
      end,
      "savepoints" => ->(db) { db.transaction { db.transaction(savepoint: true, rollback: :always) { db.get(1) } || db.get(6) } },
      "prepared statements" => ->(db) { Array.new(5) { |number| db.select(Sequel.cast(:$n, Integer).as(:n)).prepare(:first, :echo).call(n: number) } },
      "a cursor of a transaction" => ->(db) { db.transaction { db.from(Sequel.function(:generate_series, 1, 50)).use_cursor(rows_per_fetch: 7).count } },
      "time zone" => ->(db) { db.run("SET TIME ZONE 'UTC'") || db.get(Sequel.lit("current_setting('TimeZone')")) },
      "several statements" => ->(db) { db.run("SELECT 1; SELECT 8") || 1 }
    }.freeze
    SILENT = ["SET app.leak = 'mine'", "LISTEN jobs", "CREATE TEMP TABLE y (i int)", "SELECT pg_advisory_lock(5)", "PREPARE p AS SELECT 1"].freeze
    private_constant :WORKING, :SILENT

    def test_what_works_with_the_stock_adapter_works
      pooled do |uri|
        sequel("postgres", uri) { |stock| sequel("trunkline", uri) { |ours| WORKING.each { |what, work| assert_equal work.call(stock), work.call(ours), what } } }
      end
    end

    def test_what_would_be_wrong_in_silence_is_an_error
      pooled do |uri|
        sequel("trunkline", uri) do |db|
          SILENT.each do |sql|
            assert_match(/the pooler in between.*session_url:/, assert_raises(Sequel::DatabaseError, sql) { db.run(sql) }.message)
            assert_raises(Sequel::DatabaseError, sql) { db.transaction { db.run(sql) } }
          end
          assert_raises(Sequel::DatabaseError) { db.listen("jobs", timeout: 1) }
          assert_equal 1, db.get(1)
        end
      end
    end

    def test_the_address_of_the_server_itself
      pooled do |uri|
        sequel("trunkline", uri, session_url: postgres_server.uri) do |db|
          db.synchronize do
            db.run("SET app.leak = 'mine'")
            assert_equal "mine", db.get(Sequel.lit("current_setting('app.leak')"))
          end
        end
      end
    end

    private

    def pooled = PgBouncer.open(postgres_server, pool: 2) { |pooler| yield pooler.uri }

    def sequel(adapter, uri, **options)
      db = Sequel.connect(uri.sub(/\A\w+:/, "#{adapter}:"), keep_reference: false, **options)
      yield db
    ensure
      db&.disconnect
      db.client.close if db.respond_to?(:client)
    end
  end
end
