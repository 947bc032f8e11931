# frozen_string_literal: true

require "test_helper"
require "logger"
require "support/children"
require "support/sequel_host"

# Options, servers, errors.
class SequelConnectingTest < Trunkline::TestCase
  include Children
  include Trunkline::SequelHost

  def test_options
    with_sequel(search_path: ["pg_catalog", 'a "b'], client_min_messages: :error, connections: 2, max_connections: 3, application_name: "named") do |db|
      settings = %w[search_path client_min_messages application_name].map { |name| db.get(Sequel.function(:current_setting, name)) }
      assert_equal ['"pg_catalog","a ""b"', "error", "named"], settings
      db.synchronize { db.run("SET search_path = public") }
      assert_equal '"pg_catalog","a ""b"', db.synchronize { db.get(Sequel.function(:current_setting, "search_path")) }
      assert_equal 3, db.pool.max_size
    end
  end

  def test_options_in_the_url
    db = Sequel.connect("#{postgres_server.uri.sub(/\A\w+:/, "trunkline:")}&connections=1&max_connections=2&pool_timeout=1.5", keep_reference: false)
    assert_equal 2, db.pool.max_size
  ensure
    db.client.close
  end

  def test_functions_that_keep_state
    [%w[take_lock a.b], "take_lock, a.b"].each do |functions|
      with_sequel(session_functions: functions) do |db|
        assert_equal(%i[session session shareable], %w[take_lock a.b b.c].map { |name| db.client.classify("SELECT #{name}(1)") })
      end
    end
  end

  def test_a_few_connections_are_enough_for_sequels_smallest_pool
    with_sequel(max_connections: 1) { |db| assert_equal [1, 2], [db.get(1), db.transaction { db.get(2) }] }
  end

  def test_options_that_cannot_be
    [{ max_connections: "many" }, { search_path: 5 }, { client_min_messages: :loud }].each do |options|
      assert_raises(Sequel::Error, options) { with_sequel(**options) { |db| db.get(1) } }
    end
  end

  # What is set there is what connections start with, and are set back to.
  def test_settings_of_each_connection
    path = lambda { |conn|
      conn.execute("SET search_path TO pg_catalog, 'a b'")
      conn.exec("SET SESSION a.b = 'it''s'")
    }
    with_sequel(after_connect: path, connect_sqls: ["SET TIME ZONE 'Asia/Tokyo';", "SET work_mem = 4096", "set statement_timeout to '5s'"]) do |db|
      names = %w[search_path a.b TimeZone work_mem statement_timeout]
      expected = ['pg_catalog, "a b"', "it's", "Asia/Tokyo", "4MB", "5s"]
      settings = -> { names.map { |name| db.get(Sequel.function(:current_setting, name)) } }
      assert_equal expected, settings.call
      db.synchronize { db.run("SET work_mem = '1MB'; SET search_path = public") }
      assert_equal expected, db.transaction { settings.call }
    end
    with_sequel(servers: { replica: {} }, after_connect: ->(conn, server) { conn.exec("SET a.server = '#{server}'") }) do |db|
      assert_equal(%w[default replica], %i[default replica].map { |server| db.select(Sequel.function(:current_setting, "a.server")).server(server).single_value })
    end
  end

  def test_what_a_startup_message_cannot_say
    said = ["SET ROLE ada", "SET LOCAL a.b = 1", "SET a.b TO DEFAULT", "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "CREATE TEMPORARY TABLE t (n int)",
            "SET a.b = 1; DROP TABLE t", "SELECT set_config('a.b', '1', false)", "SET role = ada"]
    options = said.map { |sql| { connect_sqls: [sql] } } + [{ after_connect: lambda(&:type_map_for_results) }, { after_connect: ->(conn) { conn.exec(said[4]) } }]
    options.each do |given|
      error = assert_raises(Sequel::Error, given.inspect) { with_sequel(**given) { |db| db.get(1) } }
      assert_match(/SET alone here.*ALTER ROLE/, error.message)
    end
  end

  # Rails' name for it in a URL, which Sequel's own adapter does not look at either.
  def test_the_rails_name_for_the_size_of_a_pool
    db = Sequel.connect("#{postgres_server.uri.sub(/\A\w+:/, "trunkline:")}&pool=5", keep_reference: false)
    assert_equal [16, 1], [db.pool.max_size, db.get(1)]
  ensure
    db.client.close
  end

  def test_the_log_has_what_is_prepared
    logs = %w[postgres trunkline].map do |adapter|
      log = StringIO.new
      with_sequel(adapter, logger: Logger.new(log)) do |db|
        first = db[:pg_type].where(oid: :$oid).select(:typname).prepare(:first, :type_by_oid)
        log.truncate(0)
        2.times { first.call(oid: 16) }
        db.transaction { first.call(oid: 16) }
        db[:pg_type].where(oid: :$oid).select(:oid).prepare(:first, :type_by_oid).call(oid: 16)
      end
      log.string.scan(/(PREPARE [^\n]+|EXECUTE [^\n]+|BEGIN|COMMIT)/).flatten
    end
    assert_equal logs.first - ["DEALLOCATE type_by_oid"], logs.last
    assert_equal 2, logs.last.grep(/\APREPARE/).size
  end

  # Whether the server reads a nil there as one is asked of the client, of which a caller without a connection has no other way.
  def test_a_nil_in_an_array_that_is_bound
    with_sequel do |db|
      db.extension(:pg_array)
      asked = db.select(Sequel.cast(:$names, "text[]").as(:names))
      tell = -> { asked.call(:first, names: Sequel.pg_array(["a", nil], :text))[:names].to_a }
      assert_equal [["a", nil]] * 2, [tell.call, db.transaction { tell.call }]
    end
  end

  def test_a_pool_of_sequels_own
    error = assert_raises(Sequel::Error) { with_sequel(pool_class: :threaded) { |db| db.get(1) } }
    assert_match(/pool_class: cannot be chosen with this adapter.*max_connections:/, error.message)
  end

  def test_extensions_that_work_on_connections_that_are_lent
    with_sequel(max_connections: 1) do |db|
      error = assert_raises(Sequel::Error) { db.extension(:connection_expiration) }
      assert_match(/use the option max_lifetime:/, error.message)
      error = assert_raises(Sequel::Error) { db.extension(:string_agg, :temporarily_release_connection) }
      assert_match(/temporarily_release_connection works on connections that a pool lends/, error.message)
      error = assert_raises(Sequel::Error) { db.extension(:activerecord_connection) }
      assert_match(/use Sequel's own adapter for it, Sequel.connect\(adapter: Sequel::Postgres::Database/, error.message)
      db.extension(:connection_validator)
      assert_equal 1, db.get(1)
    end
  end

  def test_the_line_of_the_application_that_called
    log = StringIO.new
    with_sequel(logger: Logger.new(log)) do |db|
      db.extension(:caller_logging)
      db.get(1)
      db.transaction { db[:pg_class].select(:oid).first }
      db.run("SELECT 2")
    end
    sources = log.string.scan(/\(source: ([^:)]+)/).flatten.uniq
    assert_equal [__FILE__], sources - [RbConfig.ruby]
  end

  def test_the_stock_adapter_is_loaded_later
    program = <<~RUBY
      require "sequel"
      Sequel.connect(ARGV.fetch(0).sub(/\\A\\w+:/, "trunkline:"), keep_reference: false) { |db| puts db.get(1) }
      require "sequel/adapters/postgres"
      puts Sequel::Postgres::USES_PG
    RUBY
    output, = run_program(program, postgres_server.uri)
    assert_equal %w[1 true], output.lines(chomp: true).grep(/\A(1|true)\z|USES_PG/)
  end

  def test_notices
    notices = []
    with_sequel(notice_receiver: notices.method(:push)) { |db| db.run("DO $$ BEGIN RAISE WARNING 'careful'; END $$") }
    assert_equal ["WARNING:  careful\n"], notices.map(&:result_error_message)
  end

  # The options of a server may come from a Proc, which may wait.
  def test_a_server_whose_options_are_awaited_keeps_others_waiting_for_nothing
    asked = Thread::Queue.new
    options = Thread::Queue.new
    with_sequel(servers: { late: proc { asked << true && options.pop } }) do |db|
      late = Array.new(2) { Thread.new { db.select(1).server(:late).single_value } }
      2.times { asked.pop }
      others = Thread.new { [db.get(2), db.transaction { db.get(3) }] }
      assert_equal [2, 3], others.join(60)&.value
      2.times { options << { application_name: "late", max_connections: 1 } }
      assert_equal [[1, 1], 1], [late.map(&:value), db[:pg_stat_activity].where(application_name: "late").count]
    end
  end

  def test_servers
    with_sequel(servers: { replica: { application_name: "replica" } }) do |db|
      name = Sequel.function(:current_setting, "application_name")
      assert_equal "replica", db.select(name).server(:replica).single_value
      refute_equal "replica", db.get(name)
      assert_equal "replica", db.transaction(server: :replica) { db.select(name).server(:replica).single_value }
      db.extension :server_block
      assert_equal "replica", db.with_server(:replica) { db.get(name) }
      db.remove_servers(:replica)
      assert_equal [:default], db.servers
    end
  end

  def test_errors
    with_columns("id int PRIMARY KEY CHECK (id > 0), n int NOT NULL DEFAULT 0") do |table|
      with_sequel do |db|
        db[table].insert(id: 1)
        { Sequel::UniqueConstraintViolation => { id: 1 }, Sequel::CheckConstraintViolation => { id: -1 },
          Sequel::NotNullConstraintViolation => { id: 2, n: nil } }.each { |kind, row| assert_raises(kind) { db[table].insert(row) } }
        error = assert_raises(Sequel::DatabaseError) { db.run("SELEC 1") }
        assert_equal ["42601", 1], db.error_info(error).values_at(:sql_state, :statement_position)
        assert_kind_of Trunkline::SyntaxError, error.wrapped_exception
      end
    end
  end

  def test_messages_are_those_of_sequels_own_adapter
    detailed = "DO $$ BEGIN RAISE 'said' USING DETAIL = 'more', HINT = 'do that'; END $$"
    ["SELEC 1", "SELECT 1,\n\trelnam FROM pg_class", "SELECT 'x'::int", detailed].each do |sql|
      messages = %w[postgres trunkline].map { |adapter| with_sequel(adapter) { |db| assert_raises(Sequel::DatabaseError) { db[sql].all }.message } }
      assert_equal(*messages.map { |message| message[/::.*/m].sub(/::\w+: /, "") })
      assert_match(/^LINE |^DETAIL:  more\nHINT:  do that/, messages.last)
    end
  end

  def test_the_application_has_a_name
    names = %w[postgres trunkline].map { |adapter| with_sequel(adapter) { |db| db.get(Sequel.function(:current_setting, "application_name")) } }
    assert_equal(*names)
    with_sequel(driver_options: { application_name: "own" }) { |db| assert_equal "own", db.get(Sequel.function(:current_setting, "application_name")) }
  end

  def test_errors_without_values
    with_sequel(errors: :without_values) do |db|
      assert_match(/integer: "\*\*\*"\nLINE 1: SELECT CAST\(\*\*\*$/, assert_raises(Sequel::DatabaseError) { db.get(Sequel.cast("hunter2", Integer)) }.message)
    end
  end

  def test_no_server_there
    assert_raises(Sequel::DatabaseConnectionError) { Sequel.connect("trunkline://127.0.0.1:1/app", keep_reference: false) }
    url = "#{postgres_server.uri.sub(/\A\w+:/, "trunkline:").sub("/postgres?", "/nothing?")}"
    assert_raises(Sequel::DatabaseConnectionError) { Sequel.connect(url, keep_reference: false) }
  end

  # Of a Database that asks as it is made, and of one that asks later.
  def test_connections_that_are_refused_are_of_the_stock_adapters_class
    psql("CREATE DATABASE closed_to_sequel; REVOKE CONNECT ON DATABASE closed_to_sequel FROM PUBLIC; CREATE ROLE caller LOGIN; " \
         "CREATE ROLE queue LOGIN CONNECTION LIMIT 0")
    [{ database: "nothing" }, { user: "absent_role" }, { user: "caller", database: "closed_to_sequel" }, { user: "queue" },
     { driver_options: { options: "-c nowhere=1" } }].product([true, false]) do |options, test|
      stocks, our_own = %w[postgres trunkline].map do |adapter|
        assert_raises(Sequel::Error) { with_sequel(adapter, test: test, **options) { |db| db.get(1) } }
      end
      assert_equal stocks.class, our_own.class, options.inspect
    end
  ensure
    psql("DROP DATABASE closed_to_sequel; DROP ROLE caller, queue")
  end

  def test_no_password_is_shown
    with_sequel(password: "hunter2") do |db|
      [db, db.pool, db.client, Sequel::Trunkline::Options.new(db.opts)].each { |object| refute_includes object.inspect, "hunter2" }
    end
  end

  def test_a_lost_connection
    with_sequel do |db|
      error = assert_raises(Sequel::DatabaseDisconnectError) do
        db.transaction { psql("SELECT pg_terminate_backend(#{db.synchronize(&:backend_pid)})") && db.run("SELECT 'a value'") }
      end
      refute_includes error.message, "a value"
      assert_includes error.wrapped_exception.sql, "a value"
      assert_equal 1, db.get(1)
    end
  end

  # On Sequel's own adapter, the next query is told of it.
  def test_an_idle_connection_that_the_server_has_ended
    [["postgres", Sequel::DatabaseDisconnectError], ["trunkline", nil]].each do |adapter, expected|
      with_sequel(adapter, driver_options: { application_name: "idle" }) do |db|
        3.times do
          assert_equal 1, db.get(1)
          psql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'idle'")
          expected ? assert_raises(expected) { db.get(1) } : assert_equal(1, db.get(1))
        end
      end
    end
  end

  # Sequel writes values into its statements.
  def test_a_refusal_shows_no_statement
    with_sequel do |db|
      error = assert_raises(Sequel::DatabaseError) { db.run("SET intervalstyle = 'sql_standard' -- a value") }
      assert_match(/SharedStateError: intervalstyle .*use to_char.*\(server [^;]*\)\z/, error.message)
    end
  end

  def test_a_forked_child
    with_sequel do |db|
      db.get(1)
      reader, writer = IO.pipe
      pid = fork do
        writer.write(db.transaction { db.get(2) })
        exit!(0)
      end
      writer.close
      Process.wait(pid)
      assert_equal ["2", 3], [reader.read, db.get(3)]
    end
  end
end
