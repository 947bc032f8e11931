# frozen_string_literal: true

require "test_helper"
require "stringio"
require "support/pgbouncer"
require "support/memcached_servers"
require "support/server_pair"
require "support/tls_servers"
require "trunkline/cli/command"

# What `trunkline doctor` finds.
class DoctorTest < Trunkline::TestCase
  include Trunkline::MemcachedServers
  include Trunkline::ServerPair

  def test_a_server_in_good_health
    status, report = examine(postgres_server.uri)
    assert_equal 0, status, report
    assert_match(/^ok    PostgreSQL \d+.* lets postgres in, without authentication\.$/, report)
    assert_match(/^ok    .* over a Unix socket: no one else can listen\.$/, report)
    assert_match(/^ok    No pooler is in between\.$/, report)
    assert_match(/^ok    Statements are prepared\.$/, report)
    assert_match(/^ok    A query takes [\d.]+ ms from here and back, the fastest [\d.]+ ms\.$/, report)
    assert_match(/Queries (do not )?overlap: 4 of 20 ms at once took [\d.]+ ms, one after another [\d.]+ ms/, report)
    assert_match(/^ok    One process with max_connections 16 may open 16 connections, and the server takes \d+\.$/, report)
  end

  def test_several_hosts
    with_pair do |primary, standby|
      replayed(primary, standby)
      asked = ->(**options) { examine(hosts_uri(Struct.new(:socket_directory, :port).new("/nowhere", 1), standby, primary, **options)) }
      status, report = asked.call(target_session_attrs: "read-write")
      assert_equal 0, status, report
      one, other = [primary, standby].map { |server| Regexp.escape("#{server.socket_directory}:#{server.port}/postgres") }
      assert_match(%r{\Ahint  /nowhere:1/postgres cannot be reached: cannot connect.*$}, report)
      assert_match(/^ok    #{other} is a standby, on timeline 1, \d+ bytes behind the primary\. A query takes [\d.]+ ms from here and back.*\.$/, report)
      assert_match(/^ok    #{one} is the primary, on timeline 1\. A query takes [\d.]+ ms/, report)
      assert_match(/^ok    Queries go to #{one}: it is the first primary \(target_session_attrs=read-write\)\.$/, report)
      assert_match(/^ok    PostgreSQL .* at #{one} lets postgres in/, report)
      assert_match(/^hint  Queries go to #{other}: it is the first one that can be reached, and any will do .*Writes are refused by a standby: target_session_attrs=read-write/,
                   asked.call.last)
      { "prefer-standby" => "standbys are preferred", "standby" => "it is the first standby" }.each do |wanted, why|
        assert_match(/^ok    Queries go to #{other}: #{why} \(target_session_attrs=#{wanted}\)\.$/, asked.call(target_session_attrs: wanted).last)
      end
      promote(standby, primary)
      status, report = asked.call(target_session_attrs: "primary", load_balance_hosts: "random")
      assert_equal 1, status, report
      assert_match(/^!!    #{one} takes writes on timeline 1, and its cluster is on timeline 2: it is a former primary/, report)
      assert_match(/^ok    Queries go to #{other}: it is the first primary .*\.$/, report)
      refute_match(/A client that starts now/, report)
      assert_match(/^ok    Queries go to #{other}: .*\. A client that starts now goes to #{one} until it has seen timeline 2\.$/,
                   examine(hosts_uri(primary, standby, target_session_attrs: "read-write")).last)
    end
  end

  # Both were promoted, and neither follows the other. Two ways to one server are no trouble.
  def test_two_primaries_on_one_timeline
    with_pair do |former, one|
      other = Trunkline::Bench::PostgresServer.start_standby(former)
      former.stop
      [one, other].each { |server| server.psql("SELECT pg_promote()") }
      status, report = examine(hosts_uri(one, other, target_session_attrs: "read-write"))
      assert_equal [1, 2], [status, report.scan(/^!!    .* takes writes on timeline 2, and so does .*, which is another server/).size], report
      assert_equal 0, examine(hosts_uri(one, one, target_session_attrs: "read-write")).first
    ensure
      other&.discard
    end
  end

  # All are tried at once.
  def test_hosts_that_do_not_answer
    TCPServer.open("127.0.0.1", 0) do |silent|
      ports = [silent.addr[1]] * 2
      patience(0.5) do
        report = examine("postgresql://postgres@/postgres?host=127.0.0.1,127.0.0.1,#{postgres_server.socket_directory}&port=#{ports.join(",")},#{postgres_server.port}").last
        assert_equal 2, report.scan(/^hint  127\.0\.0\.1:#{ports.first}.postgres cannot be reached: it has not answered within 0\.5 s\.$/).size, report
      end
    end
  end

  def test_replicas
    with_pair do |primary, standby|
      replayed(primary, standby)
      other = Regexp.escape("#{standby.socket_directory}:#{standby.port}/postgres")
      told = /^ok    #{other} took 100 % of 200 reads of replicas, 99 of 100 within [\d.]+ ms, and it is [\d.]+ s behind\.$/
      assert(eventually { examine(hosts_uri(primary, standby)).last.match?(told) }, "a busy standby may not tell its lag in time")
      refute_match(/reads of replicas/, examine(hosts_uri(primary, standby, target_session_attrs: "standby")).last)
      standby.stop
      assert_equal 0, examine(hosts_uri(primary, standby, target_session_attrs: "primary")).first, "no replica is no trouble"
    end
  end

  def test_hosts_of_two_clusters
    with_server(own_cluster: true) do |stranger|
      status, report = examine(hosts_uri(postgres_server, stranger))
      assert_equal 1, status
      assert_match(/^!!    .*:#{stranger.port}.* belongs to another cluster than .*:#{postgres_server.port}.*: its system identifier is \d+, and not \d+\./, report)
    end
  end

  def test_more_connections_than_the_server_takes
    status, report = examine("--processes", "20", postgres_server.uri)
    assert_equal 1, status
    assert_match(/^!!    20 processes with max_connections 16 may open 320 connections, but the server takes 197: set max_connections: 9, or/, report)
    status, report = examine("--processes", "2000", postgres_server.uri)
    assert_equal 1, status
    assert_match(/let it take more, or run fewer processes/, report)
  end

  def test_memcached_servers
    ["memcached://#{memcached.address}", memcached.address].each do |address|
      status, report = examine(address)
      assert_equal 0, status, report
      assert_match(/^ok    memcached 1\.\d.* at #{Regexp.escape(address)} answers\.$/, report)
      assert_match(/^ok    A get takes [\d.]+ ms from here and back, the fastest [\d.]+ ms\.$/, report)
      assert_match(/^ok    A value may have 1 MiB \(-I\), all together \d+ MiB \(-m\)\.$/, report)
    end
    status, report = examine("--processes", "100000", memcached.address)
    assert_equal [1, true], [status, report.match?(/^!!    The application may open 100000 connections, and the server takes \d+/)], report
  end

  def test_an_address_where_no_memcached_answers
    status, report = examine("127.0.0.1:1")
    assert_equal [1, "!!    No memcached answers at 127.0.0.1:1. A PostgreSQL server is written postgres://host:port/database.\n"], [status, report]
  end

  def test_limits_of_the_role_and_the_database
    name = "limited#{Process.pid}"
    postgres_server.psql("CREATE ROLE #{name} LOGIN CONNECTION LIMIT 12")
    _, report = examine(postgres_server.uri.sub("user=postgres", "user=#{name}"))
    assert_match(/^!!    One process with max_connections 16 .*, but the role's limit is 12: set max_connections: 12/, report)
  ensure
    postgres_server.psql("DROP ROLE #{name}")
  end

  def test_settings_that_change_values
    name = "odd#{Process.pid}"
    postgres_server.psql("CREATE DATABASE #{name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0; ALTER DATABASE #{name} SET array_nulls = off")
    status, report = examine(postgres_server.uri(dbname: name))
    assert_equal 1, status
    assert_match(/^!!    array_nulls is off: nil in an Array parameter is stored as the text "NULL"/, report)
    assert_match(/^hint  The database is in SQL_ASCII/, report)
  ensure
    postgres_server.psql("DROP DATABASE IF EXISTS #{name}")
  end

  KEEPERS = <<~SQL
    CREATE SCHEMA a; CREATE TABLE a.t (id int, v text); CREATE SCHEMA "B";
    CREATE FUNCTION a.sets() RETURNS void LANGUAGE sql AS $$ SELECT set_config('x.y', 'z', false) $$;
    CREATE FUNCTION a.sets_by_command() RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF true THEN SET x.y = 'z'; END IF; END $$;
    CREATE FUNCTION a.sets_by_text() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SET ROLE ' || 'a'; END $$;
    CREATE FUNCTION a.locks() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_lock(1) $$;
    CREATE FUNCTION a.makes() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE IF NOT EXISTS k (u int); END $$;
    CREATE FUNCTION a.listens() RETURNS void LANGUAGE plpgsql AS $$ BEGIN LISTEN jobs; END $$;
    CREATE FUNCTION a.holds() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DECLARE c CURSOR WITH HOLD FOR SELECT 1'; END $$;
    CREATE FUNCTION "B"."Calls one"() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM a.sets(); END $$;
    CREATE FUNCTION a.is_harmless() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('x.y', 'z', true); SET LOCAL x.y = 'a';
      UPDATE a.t SET v = 'SET' WHERE id = 1; CREATE TEMP TABLE k (u int) ON COMMIT DROP; PERFORM pg_advisory_xact_lock(1); EXECUTE 'SELECT 1'; END $$
  SQL
  KEEPERS_OF_STATE = <<~SQL
    CREATE FUNCTION a.audits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM a.sets(); RETURN NEW; END $$;
    CREATE TRIGGER audit BEFORE UPDATE ON a.t FOR EACH ROW EXECUTE FUNCTION a.audits();
    CREATE VIEW a.seen AS SELECT set_config('x.y', 'z', false); CREATE VIEW a.plain AS SELECT 1 AS one;
    CREATE TABLE a.d (v text DEFAULT set_config('x.y', 'z', false)); CREATE POLICY p ON a.t USING (a.locks() IS NULL)
  SQL
  private_constant :KEEPERS, :KEEPERS_OF_STATE

  def test_functions_that_keep_state
    name = "keepers#{Process.pid}"
    postgres_server.psql("CREATE DATABASE #{name}")
    _, report = examine(postgres_server.uri(dbname: name))
    assert_match(/^ok    No function of the database's own is seen to keep state in its session; functions in C and names in variables are not looked into\.$/, report)
    Trunkline.postgres(postgres_server.uri(dbname: name)) { |db| db.execute_script(KEEPERS) }
    _, report = examine(postgres_server.uri(dbname: name))
    named = ['"B"."Calls one"', *%w[a.holds a.listens a.locks a.makes a.sets a.sets_by_command a.sets_by_text]]
    assert_includes report, "Name them: session_functions: #{named.inspect}\n"
    Trunkline.postgres(postgres_server.uri(dbname: name)) { |db| db.execute_script(KEEPERS_OF_STATE) } # from now on this one writes to such a table
    _, report = examine(postgres_server.uri(dbname: name))
    assert_includes report, "(#{named.insert(2, "a.is_harmless").join(", ")}) and run where no call shows it: through use of a.seen, use of a.t, writes to a.d. Have clients find them: session_functions: :detect"
  ensure
    postgres_server.drop_database(name)
  end

  def test_encryption
    tls = Trunkline::TLSServers.postgres
    status, report = examine("host=127.0.0.1 port=#{tls.port} user=encrypted password=secret dbname=postgres sslmode=require")
    assert_equal 0, status, report
    assert_match(/lets encrypted in, by scram-sha-256\.$/, report)
    assert_match(/^hint  It is encrypted, by TLSv1\.\d with \w+, but another machine could pretend to be the server: sslmode=verify-full/, report)
    _, report = examine("host=127.0.0.1 port=#{tls.port} user=clear dbname=postgres sslmode=disable")
    assert_match(/^ok    Nothing is encrypted, and stays on this machine\.$/, report)
  end

  def test_a_certificate_that_is_checked
    tls = Trunkline::TLSServers.postgres
    _, report = examine("host=localhost hostaddr=127.0.0.1 port=#{tls.port} user=encrypted password=secret dbname=postgres " \
                        "sslmode=verify-full sslrootcert=#{tls.settings.fetch("ssl_ca_file")}")
    assert_match(/^ok    It is encrypted, .* and the server's certificate is checked \(sslmode=verify-full\)\.$/, report)
    refute_match(/Ruby's openssl/, report)
  end

  def test_a_libssl_that_c_cannot_call
    tls = Trunkline::TLSServers.postgres
    _, report = Trunkline::Socket::TLS::Libssl.stub(:obstacle, "its libssl does not offer SSL_read") do
      examine("host=127.0.0.1 port=#{tls.port} user=encrypted password=secret dbname=postgres sslmode=require")
    end
    assert_match(/^hint  Ruby's openssl reads and writes what is encrypted, .*: its libssl does not offer SSL_read\.$/, report)
  end

  def test_a_pooler
    PgBouncer.open(postgres_server, pool: 2) do |pooler|
      status, report = examine(pooler.uri)
      assert_equal 0, status, report
      assert_match(/^hint  One process .* to the pooler, whose own limit/, report)
      assert_match(/^hint  A pooler is in between that gives each transaction another server session/, report)
      assert_match(/^hint  Prepared statements get lost behind this pooler/, report)
      status, report = examine("--no-prepare", pooler.uri)
      assert_equal 0, status, report
      assert_match(/^ok    Statements are not prepared, as you say/, report)
    end
  end

  def test_a_pooler_of_statements
    PgBouncer.open(postgres_server, pool: 2, mode: "statement") do |pooler|
      status, report = examine("--no-prepare", pooler.uri)
      assert_equal 1, status, report
      assert_match(/^!!    A pooler is in between that gives each statement another server session and lets no transaction pass/, report)
    end
  end

  def test_no_server_there
    status, report = examine("host=127.0.0.1 port=1 user=a password=geheim")
    assert_equal 1, status
    assert_match(/\A!!    Cannot connect: .*refused/, report)
    assert_equal 1, report.lines.size
    refute_includes report, "geheim"
  end

  def test_a_wrong_password
    tls = Trunkline::TLSServers.postgres
    status, report = examine("host=127.0.0.1 port=#{tls.port} user=encrypted password=geheim dbname=postgres")
    assert_equal 1, status
    assert_match(/\A!!    Password authentication failed for user "encrypted"/, report)
    refute_includes report, "geheim"
  end

  private

  # Lets each query of the doctor take only so many seconds.
  def patience(seconds)
    doctor = Trunkline::CLI::Doctor
    usual = doctor.send(:remove_const, :TIMEOUT)
    doctor.const_set(:TIMEOUT, seconds)
    yield
  ensure
    doctor.send(:remove_const, :TIMEOUT)
    doctor.const_set(:TIMEOUT, usual)
    doctor.send(:private_constant, :TIMEOUT)
  end

  # @return [Array(Integer, String)] exit status, and all that was printed
  def examine(*arguments)
    out = StringIO.new
    [Trunkline::CLI::Command.new(out: out, err: out).run(["doctor", *arguments]), out.string]
  end
end
