# frozen_string_literal: true

module Shared
  # Settings and roles for one query, or for one transaction. The test includes a host.
  module Settings
    include Gated

    TENANT = "SELECT nullif(current_setting('app.tenant', true), '')"
    private_constant :TENANT

    def test_settings_hold_for_one_query
      in_host_with_client(connections: 1) do |db|
        seven = { "app.tenant" => 7 }
        3.times do
          assert_equal ["7", nil], [db.value(TENANT, settings: seven), db.value(TENANT)]
          assert_equal ["7", [["7"]], { "a" => "7" }, "7"],
                       [db.async(TENANT, settings: seven).value.value, db.query(TENANT, settings: seven).rows,
                        db.first("#{TENANT} AS a", settings: seven), db.with(settings: seven).value(TENANT, settings: { "a.b" => 1.5 })]
        end
      end
    end

    def test_light_clients_with_settings
      in_host_with_client(connections: 1) do |db|
        light = db.with(settings: { "app.tenant" => "it's \\ me", "app.flag" => true })
        sql = "SELECT current_setting('app.tenant', true), current_setting('app.flag', true), current_setting('app.more', true)"
        assert_equal ["it's \\ me", "true", nil], light.query(sql).rows.first.map { |value| value unless value == "" }
        assert_equal ["8", "true", "x"], light.with(settings: { "app.tenant" => 8, "app.more" => :x }).query(sql).rows.first
        assert_equal [""] * 3, db.query(sql).rows.first
        assert_equal (1..30).map(&:to_s), (side_by_side(1..30) { |number| db.with(settings: { "app.tenant" => number }).value(TENANT) })
      end
    end

    def test_settings_are_gone_after_a_failure
      in_host_with_client(connections: 1) do |db|
        light = db.with(settings: { "app.tenant" => 7, "work_mem" => "3MB" })
        others = Array.new(5) { |number| later { db.value("SELECT $1::int, current_setting('work_mem') <> '3MB' AS same", number) } }
        assert_raises(Trunkline::DivisionByZero) { light.value("SELECT 1/0") }
        assert_raises(Trunkline::UndefinedColumn) { light.value("SELECT nothing") }
        assert_raises(Trunkline::InvalidParameterValue) { db.value("SELECT 1", settings: { "work_mem" => "much" }) }
        assert_equal [nil, "4MB"], db.query("#{TENANT}, current_setting('work_mem')").rows.first
        assert_equal [0, 1, 2, 3, 4], others.map(&:value)
        assert_equal %w[7 3MB], light.query("#{TENANT}, current_setting('work_mem')").rows.first
      end
    end

    def test_rows_by_tenant
      with_tenants do |table, role|
        in_host_with_client(connections: 2) do |db|
          seen = side_by_side(1..20) do |number|
            db.with(role: role, settings: { "app.tenant" => number % 4 }).query("SELECT tenant, owner FROM #{table}").rows
          end
          assert_equal (1..20).map { |number| number % 4 == 0 ? [] : [[number % 4, role]] }, seen
          assert_equal [[3, false]], db.query("SELECT count(*), current_user = '#{role}' FROM #{table}").rows
          assert_raises(Trunkline::InsufficientPrivilege) { db.query("INSERT INTO #{table} VALUES (2)", role: role, settings: { "app.tenant" => 1 }) }
          assert_equal 3, db.value("SELECT count(*) FROM #{table}")
        end
      end
    end

    def test_a_role_that_does_not_exist
      in_host_with_client(connections: 1) do |db|
        2.times { assert_match(/absent_role/, assert_raises(Trunkline::InvalidParameterValue) { db.value("SELECT 1", role: "absent_role") }.message) }
        assert_equal 1, db.value("SELECT 1")
      end
    end

    # The same SQL means another table, and has other columns.
    def test_names_mean_what_the_search_path_says
      schemas = Array.new(2) { |number| "s#{number}_#{SecureRandom.hex(4)}" }
      psql(schemas.map.with_index { |schema, number| "CREATE SCHEMA #{schema}; CREATE TABLE #{schema}.t AS SELECT #{["1 AS n", "'one' AS name, true AS b"][number]};" }.join)
      in_host_with_client(connections: 1) do |db|
        3.times do
          assert_equal [{ "n" => 1 }, { "name" => "one", "b" => true }], schemas.map { |schema| db.first("SELECT * FROM t", settings: { search_path: schema }) }
          assert_raises(Trunkline::UndefinedTable) { db.first("SELECT * FROM t") }
          assert_equal ["n"], db.with(settings: { search_path: schemas.first }).describe("SELECT * FROM t").columns.map(&:name)
        end
      end
    ensure
      psql("DROP SCHEMA #{schemas.join(", ")} CASCADE")
    end

    def test_constants_are_read_as_the_time_zone_says
      in_host_with_client(connections: 1) do |db|
        2.times do
          hours = %w[UTC Asia/Tokyo].map { |zone| db.value("SELECT '2024-01-01 09:00'::timestamptz", settings: { "TimeZone" => zone }).utc.hour }
          assert_equal [9, 0], hours
        end
      end
    end

    def test_transactions_with_settings
      in_host_with_client(connections: 1) do |db|
        light = db.with(settings: { "app.tenant" => 7 })
        light.transaction do |tx|
          assert_equal %w[7 7 7 7], [tx.value(TENANT), db.value(TENANT), light.value(TENANT), tx.transaction { |inner| inner.value(TENANT) }]
          light.transaction { |inner| assert_equal [["7"]], inner.execute_script(TENANT).first.rows }
          assert_match(/open already/, assert_raises(Trunkline::SharedStateError) { db.value(TENANT, settings: { "app.tenant" => 8 }) }.message)
          assert_raises(Trunkline::SharedStateError) { db.with(role: "absent_role").transaction { flunk } }
        end
        assert_nil db.value(TENANT)
        assert_nil light.transaction { nil }
        assert_equal %w[7 7], [light.transaction { |tx| tx.value(TENANT) }, light.session { |session| session.value(TENANT) }]
        light.session { |session| assert_equal ["7", nil], [session.value(TENANT), db.value(TENANT)] }
        assert_raises(Trunkline::SharedStateError) { db.transaction { light.value(TENANT) } }
        assert_raises(Trunkline::SharedStateError) { db.session { |session| session.query("BEGIN") && light.value(TENANT) } }
      end
    end

    def test_what_settings_cannot_travel_with
      in_host_with_client(connections: 1) do |db|
        light = db.with(settings: { "app.tenant" => 7 })
        ["VACUUM", "CREATE DATABASE never"].each do |sql|
          error = assert_raises(Trunkline::SharedStateError) { light.query(sql) }
          assert_match(/session \{ \}/, error.message)
          refute error.sent?
        end
        assert_raises(Trunkline::SharedStateError) { light.execute_script("SELECT 1; SELECT 2") }
        assert_raises(Trunkline::SharedStateError) { light.query("SET a.b = 1") }
        assert_nil db.value(TENANT)
      end
    end

    def test_settings_that_cannot_be
      in_host_with_client do |db|
        %w[client_encoding DateStyle intervalstyle bytea_output extra_float_digits lc_monetary standard_conforming_strings].each do |name|
          assert_match(/#{name}/, assert_raises(ArgumentError, name) { db.value("SELECT 1", settings: { name => "x" }) }.message)
        end
        [nil, [], {}, Object.new].each { |value| assert_raises(ArgumentError) { db.with(settings: { "app.tenant" => value }) } }
        assert_raises(TypeError) { db.value("SELECT 1", settings: "app.tenant") }
        assert_raises(ArgumentError) { db.value("SELECT 1", settings: { "app.tenant" => "a\0b" }) }
        assert_equal 1, db.value("SELECT 1", settings: {})
      end
    end

    def test_roles_that_are_none
      in_host_with_client do |db|
        [-> { db.value("SELECT 1", role: "none") }, -> { db.with(settings: { "ROLE" => :none }) }].each do |call|
          assert_match(/none is no role/, assert_raises(ArgumentError, &call).message)
        end
        [false, true, 1].each { |role| assert_raises(TypeError) { db.value("SELECT 1", role: role) } }
        assert_raises(Trunkline::ServerError) { db.value("SELECT 1", role: "") }
      end
    end

    def test_settings_that_would_stay
      in_host_with_client do |db|
        { "seed" => "0.5", "search_path" => "pg_temp", "SEARCH_PATH" => '"PG_TEMP" , public' }.each do |name, value|
          assert_match(/session \{ \}/, assert_raises(ArgumentError) { db.query("CREATE TABLE stays (a int)", settings: { name => value }) }.message)
        end
        error = assert_raises(ArgumentError) { db.with(settings: { "app.secret" => ["hunter2"] }) }
        refute_includes error.message, "hunter2"
      end
    end

    def test_of_one_name_in_two_spellings_the_later_value_counts
      in_host_with_client do |db|
        light = db.with(settings: { "timezone" => "Asia/Tokyo" }).with(settings: { "TimeZone" => "Europe/Paris" }).with(settings: { timezone: "America/Lima" })
        assert_equal "America/Lima", light.value("SELECT current_setting('TimeZone')")
        assert_equal "Asia/Tokyo", db.value("SELECT current_setting('TimeZone')", settings: { "TIMEZONE" => "UTC", "timezone" => "Asia/Tokyo" })
      end
    end

    # A statement that is not what was remembered of it is prepared anew, with the settings again.
    def test_a_statement_that_is_prepared_anew
      with_table("a int") do |table|
        in_host_with_client(connections: 1) do |db|
          light = db.with(settings: { "app.tenant" => 7 })
          2.times { light.query("SELECT *, #{TENANT.delete_prefix("SELECT ")} AS tenant FROM #{table}") }
          psql("ALTER TABLE #{table} ADD b int; INSERT INTO #{table} VALUES (1, 2)")
          assert_equal [[1, 2, "7"]], light.query("SELECT *, #{TENANT.delete_prefix("SELECT ")} AS tenant FROM #{table}").rows
        end
      end
    end

    def test_settings_beside_deadlines
      in_host_with_client(connections: 1) do |db|
        assert_equal "7", db.value(TENANT, settings: { "app.tenant" => 7 }, deadline: 60)
        assert_raises(Trunkline::Deadline) { db.value("SELECT pg_sleep(20)", settings: { "app.tenant" => 7 }, deadline: 0.05) }
        assert_nil db.value(TENANT)
      end
    end

    private

    # @yieldparam table [String] whose rows each tenant has one of, and sees no other
    # @yieldparam role [String] that has these settings
    def with_tenants
      with_table("tenant int") do |table|
        role = "r#{SecureRandom.hex(6)}"
        psql("CREATE ROLE #{role}; GRANT SELECT, INSERT ON #{table} TO #{role}; INSERT INTO #{table} VALUES (1), (2), (3); " \
             "ALTER TABLE #{table} ADD owner text GENERATED ALWAYS AS ('#{role}') STORED; ALTER TABLE #{table} ENABLE ROW LEVEL SECURITY; " \
             "CREATE POLICY own ON #{table} USING (tenant = current_setting('app.tenant')::int)")
        yield table, role
      ensure
        psql("DROP POLICY own ON #{table}; DROP OWNED BY #{role}; DROP ROLE #{role}")
      end
    end
  end
end
