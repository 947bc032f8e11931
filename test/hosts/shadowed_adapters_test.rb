# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/sequel_host"
require "support/shadows"
require "active_record/connection_adapters/trunkline_adapter"

module Hosts
  # What the adapters ask of the server by themselves means the same whatever schema stands before pg_catalog on the search_path. What
  # ActiveRecord and Sequel write is theirs, and fails here with their own adapters too.
  class ShadowedAdaptersTest < Trunkline::TestCase
    include Trunkline::SequelHost

    def test_what_sequel_takes_for_its_database
      with_shadowed_sequel do |db|
        assert db.test_connection
        assert_equal 7, db.get(7)
        db.synchronize { |conn| assert_equal [true, true], [conn.backend_pid.is_a?(Integer), conn.backend_pid == conn.backend_pid] }
        assert_equal(3, db.transaction { db.transaction(savepoint: true) { db.get(3) } })
        db.run("INSERT INTO public.things VALUES (1), (2)")
        assert_equal([1, 2], db[Sequel[:public][:things]].paged_each(rows_per_fetch: 1).map { |row| row[:id] })
        assert_equal({ "a" => 1, "b" => "b" }, db.client.with(decode: {}).value("SELECT ROW(1, 'b')::public.pair"))
        db.copy_into(Sequel[:public][:things], data: "3\n")
        assert_equal "1\n2\n3\n", db.copy_table(Sequel[:public][:things])
      end
    end

    def test_what_sequel_listens_to
      with_shadowed_sequel do |db|
        db.listen("jobs", after_listen: ->(_) { db.notify("jobs", payload: "one") }, timeout: 10) { |_, _, payload| assert_equal "one", payload }
      end
    end

    def test_what_active_record_takes_for_a_connection
      with_shadowed_connection do |connection|
        assert_equal [postgres_server.version, "UTF8"], [connection.server_version / 10_000, connection.parameter_status("client_encoding")]
        assert_equal 7, connection.exec_params("SELECT $1::pg_catalog.int4", ["7"]).getvalue(0, 0)
        connection.prepare("named", "SELECT $1::pg_catalog.int4")
        assert_equal 8, connection.exec_prepared("named", ["8"]).getvalue(0, 0)
        connection.transaction { |tx| assert_equal tx.backend_pid, tx.backend_pid }
        assert_equal "(1,b)", connection.exec("SELECT ROW(1, 'b')::public.pair").getvalue(0, 0)
        connection.exec("LISTEN jobs")
        connection.exec("NOTIFY jobs, 'two'")
        assert_equal "two", connection.notifies[:extra]
        assert_same connection, connection.reset
      end
    end

    private

    def with_shadowed_sequel(&block)
      dbname = Shadows.database(postgres_server)
      with_sequel(database: dbname, driver_options: { options: "-c search_path=#{Shadows::PATH.delete(" ")}" }, &block)
    ensure
      postgres_server.psql("TRUNCATE public.things", dbname: dbname)
    end

    def with_shadowed_connection
      settings = Trunkline::ActiveRecord.const_get(:Settings).new(
        { host: postgres_server.socket_directory, port: postgres_server.port, username: "postgres", database: Shadows.database(postgres_server),
          schema_search_path: Shadows::PATH }, timezone: :utc
      )
      client = settings.client
      yield Trunkline::ActiveRecord.const_get(:Connection).new(client, settings.config)
    ensure
      client&.close
    end
  end
end
