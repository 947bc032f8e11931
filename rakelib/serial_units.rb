# frozen_string_literal: true

# Random units of work for {Serial}: plain queries, queries with settings or a role, batches, transactions and sessions. What each of their steps
# returns depends on the unit alone, as long as no session state of another unit is left: most steps read something that a setting, a role, a
# temporary table, a name in search_path or a cached plan would change.
class SerialUnits
  # How a unit is sent, keywords of Querying#with, and its steps, each SQL with parameters.
  Unit = Struct.new(:kind, :options, :steps) do
    # @return [Boolean] whether its steps are one transaction, whose end tells of an error that was passed over
    def transaction? = %i[transaction nested].include?(kind)

    # @return [Boolean] whether an error is told instead of all answers
    def whole? = %i[batch atomic script].include?(kind)

    # @return [String] its steps, whose rows are texts: the values of scripts are decoded as usual, whatever the client decodes otherwise
    def script = steps.map { |sql,| sql.start_with?("SELECT") ? "SELECT q::text FROM (#{sql}) AS q" : sql }.join("; ")
  end

  # Two schemas have tables and functions of the same names, of other types.
  SCHEMA = <<~SQL
    CREATE ROLE serial_role; CREATE ROLE serial_login LOGIN;
    CREATE TABLE shared (a int); INSERT INTO shared VALUES (7); CREATE SEQUENCE sq;
    CREATE SCHEMA s1; CREATE SCHEMA s2;
    CREATE TABLE public.t (v real); CREATE TABLE s1.t (v numeric); CREATE TABLE s2.t (v text);
    CREATE TABLE public.k (v real); CREATE TABLE s1.k (v numeric); CREATE TABLE s2.k (v text);
    INSERT INTO public.k VALUES (0.1); INSERT INTO s1.k VALUES (0.10); INSERT INTO s2.k VALUES ('0.10');
    CREATE FUNCTION public.name() RETURNS text LANGUAGE sql AS $$ SELECT 'public' $$;
    CREATE FUNCTION s1.name() RETURNS text LANGUAGE sql AS $$ SELECT 's1' $$;
    CREATE FUNCTION s2.name() RETURNS int LANGUAGE sql AS $$ SELECT 2 $$;
    CREATE FUNCTION public.planned() RETURNS text LANGUAGE plpgsql AS
      $$ BEGIN RETURN '2024-01-01 00:00'::timestamptz::text || ('02/03/2024'::date + 0)::text || (SELECT v::text FROM k); END $$;
    GRANT ALL ON ALL TABLES IN SCHEMA public, s1, s2 TO PUBLIC; GRANT ALL ON SCHEMA public, s1, s2 TO PUBLIC; GRANT ALL ON SEQUENCE sq TO PUBLIC;
  SQL

  PROBES = [
    ["SELECT current_setting('TimeZone'), '2024-01-01 00:00'::timestamptz"], ["SELECT '01/02/2024'::date, '2024-01-01 10:00+00'::timestamptz::text"],
    ["SELECT interval '1 day 2 hours', interval '-1 02:03'"], ["SELECT current_user, session_user"], ["SELECT 1.1::float8::text, 0.1::float4::text"],
    ["SELECT '\\x41'::bytea::text"], ["SELECT $1::timestamptz", "2024-01-01 00:00"], ["SELECT $1::date", "01/02/2024"], ["SELECT $1::interval", "-1 02:03"],
    ["INSERT INTO t (v) VALUES ($1) RETURNING v::text", "0.10"], ["SELECT v::text FROM k WHERE v = $1", "0.10"], ["SELECT v FROM k"],
    ["SELECT name()"], ["SELECT public.planned()"], ["SELECT NULL = NULL"], ["SELECT 'a\\b', length('a\\\\b')"], ["SELECT '{NULL}'::text[]"],
    ["SELECT to_tsvector('running')"], ["SELECT coalesce(current_setting('x.y', true), '')"], ["SELECT current_setting('work_mem')"],
    ["SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"], ["SELECT to_regclass('tt') IS NULL"],
    ["SELECT count(*) FROM pg_prepared_statements WHERE from_sql"], ["SELECT count(*) FROM pg_cursors WHERE name <> ''"],
    ["SELECT count(*) FROM pg_listening_channels()"], ["SELECT a FROM shared"], ["SELECT 1/$1::int", "0"]
  ].freeze

  SETTINGS = {
    "TimeZone" => %w[Asia/Tokyo UTC America/New_York], "search_path" => ["s1", "s2, public", "public"], "x.y" => %w[one two],
    "default_text_search_config" => %w[simple english], "transform_null_equals" => %w[on off],
    "work_mem" => %w[1MB 2MB], "array_nulls" => %w[on off]
  }.freeze
  # Settings that sessions may change, and that are not allowed for a single query. Other styles of dates and intervals than these are refused in
  # sessions, too.
  OF_SESSIONS = {
    "DateStyle" => ["ISO, DMY", "ISO, MDY", "ISO, YMD"], "standard_conforming_strings" => %w[on off], "role" => %w[serial_role],
    "session_authorization" => %w[serial_login]
  }.freeze

  # Further statements of a session, in any order, whether they fail or not. If it has drawn no number from a sequence, currval may return that of an
  # earlier caller.
  STATEFUL = [
    "RESET ALL", "SAVEPOINT a", "ROLLBACK TO SAVEPOINT a", "RELEASE SAVEPOINT a", "PREPARE p AS SELECT '2024-01-01 00:00'::timestamptz, v FROM k",
    "EXECUTE p", "EXECUTE p", "DEALLOCATE p", "DEALLOCATE ALL", "DECLARE c CURSOR WITH HOLD FOR SELECT v, '1 day'::interval FROM k",
    "DECLARE c CURSOR WITH HOLD FOR SELECT generate_series(1, 5)", "FETCH 2 FROM c", "FETCH 2 FROM c", "MOVE 1 IN c", "CLOSE c", "CLOSE ALL",
    "CREATE TEMPORARY TABLE tt (a int)", "CREATE TEMPORARY TABLE tt (b text, a date)", "INSERT INTO tt (a) VALUES (NULL) RETURNING *", "SELECT * FROM tt",
    "DROP TABLE tt", "CREATE TEMPORARY TABLE k AS SELECT 'temporary' AS v", "LISTEN ch", "UNLISTEN *", "SELECT pg_advisory_lock_shared(4711)",
    "SELECT pg_advisory_unlock_all()", "DISCARD TEMP", "DISCARD PLANS", "DISCARD SEQUENCES", "DISCARD ALL", "RESET ROLE", "RESET SESSION AUTHORIZATION",
    "SELECT nextval('sq') = currval('sq')", "SELECT nextval('sq') = lastval()", "SELECT 1/0",
    "DO $$ BEGIN PERFORM set_config('x.y', 'done', false); END $$", "SHOW TimeZone", "EXPLAIN (COSTS off) SELECT v FROM k"
  ].freeze
  OF_TRANSACTIONS = STATEFUL.grep_v(/DISCARD ALL/).freeze
  OF_SCRIPTS = OF_TRANSACTIONS.grep_v(/SAVEPOINT|FETCH|EXECUTE|\* FROM|RETURNING/)
  private_constant :PROBES, :SETTINGS, :OF_SESSIONS, :STATEFUL, :OF_TRANSACTIONS, :OF_SCRIPTS

  # @param random [Random]
  # @param probes [Array<Array>] SQL with parameters, besides those that there are
  def initialize(random, probes = [])
    @random = random
    @probes = PROBES + probes
  end

  # @return [Unit]
  def unit
    case @random.rand(100)
    when 0...30 then Unit.new(:query, {}, [probe])
    when 30...42 then Unit.new(:query, local, [probe])
    when 42...47 then Unit.new(%i[batch atomic][@random.rand(2)], {}, Array.new(1 + @random.rand(4)) { probe })
    when 47...52 then Unit.new(:futures, {}, Array.new(1 + @random.rand(4)) { probe })
    when 52...62 then Unit.new(pick(%i[stream together prepared]), {}, [probe])
    when 62...65 then Unit.new(:copy, {}, [["COPY (#{copied}) TO STDOUT"]])
    when 65...72 then Unit.new(:script, {}, scripted)
    when 72...76 then Unit.new(:transaction, local, steps(OF_TRANSACTIONS))
    when 76...86 then Unit.new(pick(%i[transaction nested]), {}, steps(OF_TRANSACTIONS))
    else Unit.new(:session, {}, steps(STATEFUL + %w[BEGIN COMMIT ROLLBACK]))
    end
  end

  private

  def probe = pick(@probes)
  def probe_without_parameters = pick(@probes.select { |_, *parameters| parameters.empty? })

  # Not of the table that another program rewrites: a COPY of a query takes its snapshot before it waits for the table's lock, so that the server itself
  # returns no row (https://www.postgresql.org/docs/current/mvcc-caveats.html).
  def copied = pick(@probes.select { |sql, *parameters| parameters.empty? && !sql.include?("shared") }).first

  # Statements without transaction commands.
  def scripted
    Array.new(1 + @random.rand(5)) { pick([probe_without_parameters, [set], [pick(OF_SCRIPTS)]]) }
  end

  def local
    settings = SETTINGS.keys.sample(1 + @random.rand(2), random: @random).to_h { |name| [name, pick(SETTINGS[name])] }
    { settings: settings, **(@random.rand(4).zero? ? { role: "serial_role" } : {}) }
  end

  def steps(stateful)
    Array.new(1 + @random.rand(9)) do
      case @random.rand(3)
      when 0 then probe
      when 1 then [set]
      else [pick(stateful)]
      end
    end
  end

  def set
    name, values = pick(SETTINGS.merge(OF_SESSIONS).to_a)
    value = pick(values)
    case @random.rand(5)
    when 0 then "SET LOCAL #{name} = #{literal(name, value)}"
    when 1 then "SELECT set_config('#{name}', '#{value}', #{pick([true, false])})"
    when 2 then "RESET #{name}"
    else "SET #{name} = #{literal(name, value)}"
    end
  end

  def literal(name, value) = %w[search_path DateStyle].include?(name) ? value : "'#{value}'"
  def pick(list) = list[@random.rand(list.size)]
end
