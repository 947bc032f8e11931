# frozen_string_literal: true

require "suites"

# What a beginner types, and what is told of it: the cause, and the way out.
class WrongUsagesTest < Trunkline::TestCase
  include DatabaseHelpers

  USERS = "SELECT * FROM users WHERE id"
  # What makes a client, or should.
  CLIENTS = {
    'postgres("app")' => [-> { Trunkline.postgres("app") }, /neither a URI.*nor keywords.*dbname: "name"/],
    'postgres("localhost:5432/app")' => [-> { Trunkline.postgres("localhost:5432/app") }, %r{neither a URI, as postgres://host/database}],
    'postgres("mysql://localhost/app")' => [-> { Trunkline.postgres("mysql://localhost/app") }, %r{begins with mysql://.* begin with postgres://}],
    'postgres("trunkline://localhost/app")' => [-> { Trunkline.postgres("trunkline://localhost/app") }, %r{begins with trunkline://.* begin with postgres://}],
    'postgres({ "host" => "x" })' => [-> { Trunkline.postgres({ "host" => "x" }) }, /must be a String, not Hash: write options as keywords/],
    "postgres(host: { name: 1 })" => [-> { Trunkline.postgres(host: { name: "x" }) }, /\Ahost must be a String, not Hash/],
    "postgres(pool: 5)" => [-> { Trunkline.postgres(pool: 5) }, /"pool": use connections: .* and max_connections:/],
    "postgres(database: 'app')" => [-> { Trunkline.postgres(database: "app") }, /"database", did you mean dbname\?/],
    "postgres(username: 'ada')" => [-> { Trunkline.postgres(username: "ada") }, /"username", did you mean user\?/],
    "postgres(databse: 'app')" => [-> { Trunkline.postgres(databse: "app") }, /did you mean dbname\?/],
    "postgres(conections: 3)" => [-> { Trunkline.postgres(conections: 3) }, /did you mean connections\?/],
    "postgres(connections: '4')" => [-> { Trunkline.postgres(connections: "4") }, /connections must be a positive Integer, not "4"/],
    "postgres(connections: 20)" => [-> { Trunkline.postgres(connections: 20) }, /max_connections must be at least connections \(20\)/],
    "postgres(port: 'x')" => [-> { Trunkline.postgres(port: "x") }, /port must be a number from 1 to 65535/],
    "postgres(ssl: true)" => [-> { Trunkline.postgres(ssl: true) }, /"ssl": use sslmode:/],
    "postgres(sslmode: 'on')" => [-> { Trunkline.postgres(sslmode: "on") }, /sslmode must be disable or allow/],
    "postgres(timeout: 5)" => [-> { Trunkline.postgres(timeout: 5) }, /did you mean connect_timeout\?/],
    "postgres(statement_timeout: 5)" => [-> { Trunkline.postgres(statement_timeout: 5) }, /use deadline:, of each query/],
    "postgres(keys: :symbols)" => [-> { Trunkline.postgres(keys: :symbols) }, /keys must be :string or :symbol/],
    "postgres(middlewares: Class)" => [-> { Trunkline.postgres(middlewares: [Class.new]) }, /a middleware is a Module/],
    'postgres("...?pool=5")' => [-> { Trunkline.postgres("postgres://localhost/app?pool=5") }, /use connections: .*, beside the connection string/],
    'postgres("...?connections=5")' => [-> { Trunkline.postgres("postgres://localhost/app?connections=5") }, /it is a keyword of Trunkline\.postgres, beside the connection string/],
    'postgres(dsn: "...")' => [-> { Trunkline.postgres(dsn: "postgres://localhost/app") }, /"dsn": use the first argument/],
    'postgres(server: "...")' => [-> { Trunkline.postgres(server: "x") }, /"server", did you mean host\?/],
    "postgres(schema: 'app')" => [-> { Trunkline.postgres(schema: "app") }, /"schema": use options: "-c search_path=/],
    "postgres(max_pool_size: 5)" => [-> { Trunkline.postgres(max_pool_size: 5) }, /use connections: .* and max_connections:/],
    "postgres(reconnect: true)" => [-> { Trunkline.postgres(reconnect: true) }, /a lost connection is replaced at the next call/],
    'postgres(prepare: "false")' => [-> { Trunkline.postgres(prepare: "false") }, /\Aprepare must be true or false, not "false"/],
    'postgres(replicas: ["two.example"])' => [-> { Trunkline.postgres(replicas: ["two.example"]) }, /\Areplicas must be true or false.*all hosts are named in the connection string, or in host:/],
    "postgres(decode: :text)" => [-> { Trunkline.postgres(decode: :text) }, /\Adecode must be a Hash by the OIDs of types, as .*\{ default: :text \}/],
    'Trunkline.connect("...")' => [-> { Trunkline.connect("postgres://localhost/app") }, /no method connect here: write Trunkline\.postgres/],
    'Trunkline::Postgres.new("...")' => [-> { Trunkline::Postgres.new("postgres://localhost/app") }, /no method new here: write Trunkline\.postgres/],
    'Trunkline::Client.new("...")' => [-> { Trunkline::Client.new("postgres://localhost/app") }, /no class Trunkline::Client: a client is made by Trunkline\.postgres\(\.\.\.\)/],
    'Trunkline::Connection.new("...")' => [-> { Trunkline::Connection.new("postgres://localhost/app") }, /no class Trunkline::Connection: a client is made by/],
    "Trunkline::Nonsense" => [-> { Trunkline::Nonsense }, /uninitialized constant Trunkline::Nonsense/],
    'Client.new("postgres://...")' => [-> { Trunkline::Postgres::Client.new("postgres://localhost/app") }, /takes a Config.*call Trunkline\.postgres/]
  }.freeze
  # What is asked of one.
  CALLS = {
    'exec("SELECT 1")' => [->(db) { db.exec("SELECT 1") }, /no method exec here: write query\(sql, \*values\)/],
    'select("SELECT 1")' => [->(db) { db.select("SELECT 1") }, /no method select here: write query\(sql, \*values\)/],
    'with(...).exec("SELECT 1")' => [->(db) { db.with(deadline: 5).exec("SELECT 1") }, /no method exec here: write query\(sql, \*values\)/],
    'query("SELECT 1").getvalue(0, 0)' => [->(db) { db.query("SELECT 1").getvalue(0, 0) }, /no method getvalue here: write rows\[number\]\[column\]/],
    "begin" => [->(db) { db.begin }, /no method begin here: write transaction \{/],
    'query("SELEC 1")' => [->(db) { db.query("SELEC 1") }, /syntax error at or near "SELEC"/],
    'query("SELECT \'x")' => [->(db) { db.query("SELECT 'x") }, /unterminated quoted string/],
    'query("... = ?", 1)' => [->(db) { db.query("#{USERS} = ?", 1) }, /\? is no placeholder.*write \$1, \$2/],
    'query("... IN (?)", [1, 2])' => [->(db) { db.query("#{USERS} IN (?)", [1, 2]) }, /\? is no placeholder.*write \$1, \$2/],
    'query("... = :id", 1)' => [->(db) { db.query("#{USERS} = :id", 1) }, /:name takes its value from one Hash.*\{ name: value \}.*write \$1, \$2/],
    'query("... = %s", 1)' => [->(db) { db.query("#{USERS} = %s", 1) }, /%s is no placeholder.*write \$1, \$2/],
    "query('... = \#{id}')" => [->(db) { db.query("#{USERS} = \#{id}") }, /is no placeholder.*write \$1, \$2/],
    'query("... = $1", { id: 1 })' => [->(db) { db.query("#{USERS} = $1", { id: 1 }) }, /cannot send a Hash as \$1, which is integer.*separately, for \$1, \$2/],
    'query("... = $1", id: 1)' => [->(db) { db.query("#{USERS} = $1", id: 1) }, /unknown keyword: :id .*in braces, query\(sql, \{ id: value \}\), and one for \$1 alone, query\(sql, value\)/],
    'stream("... = :id", id: 1)' => [->(db) { db.stream("#{USERS} = :id", id: 1) { 1 } }, /unknown keyword: :id .*in braces, stream\(sql, \{ id: value \}\)/],
    'query("...", deadlin: 1)' => [->(db) { db.query("SELECT 1", deadlin: 1) }, /unknown keyword: :deadlin, did you mean deadline:\?/],
    'insert(:users, {}, returnin: :id)' => [->(db) { db.insert(:users, { id: 1 }, returnin: :id) }, /unknown keyword: :returnin, did you mean returning:\?/],
    "transaction(isolatoin: :serializable)" => [->(db) { db.transaction(isolatoin: :serializable) { 1 } }, /did you mean isolation:\?/],
    "with(deadlin: 1)" => [->(db) { db.with(deadlin: 1) }, /did you mean deadline:\?/],
    'wait_for_notification("x")' => [->(db) { db.session { |session| session.wait_for_notification("x") } }, /a timeout must be a number of seconds.*not "x"/],
    'async("...").wait("x")' => [->(db) { db.async("SELECT 1").wait("x") }, /a timeout must be a number of seconds.*not "x"/],
    'query("...")["name"]' => [->(db) { db.query("SELECT 1 AS name")["name"] }, /a row has a number, not "name": a value is result\[0\]\["name"\]/],
    "listen(nil)" => [->(db) { db.listen(nil) }, /a channel is named by a String or a Symbol, not by nil/],
    'query("...", as: String)' => [->(db) { db.query("SELECT 1 AS id", as: String) }, /String\.new must take the columns as keywords \(id\)/],
    'query("... = $1 OR id = $2", [1, 2])' => [->(db) { db.query("#{USERS} = $1 OR id = $2", [1, 2]) }, /has 2 parameters, and 1 were given: pass parameters separately/],
    'query("... = $1")' => [->(db) { db.query("#{USERS} = $1") }, /has 1 parameters, and 0 were given/],
    'query("... = 1", 1)' => [->(db) { db.query("#{USERS} = 1", 1) }, /has 0 parameters, and 1 were given: in SQL values are called \$1/],
    'query("... = $1", Object.new)' => [->(db) { db.query("#{USERS} = $1", Object.new) }, /cannot send a Object as \$1: convert it to a String/],
    'query("... = $1", "one")' => [->(db) { db.query("#{USERS} = $1", "one") }, /type integer: "one"/],
    "query(:users)" => [->(db) { db.query(:users) }, /SQL must be a String, not Symbol/],
    'query("BEGIN")' => [->(db) { db.query("BEGIN") }, /BEGIN would begin or end a transaction.*use transaction \{ \}/],
    'query("SET work_mem = 1")' => [->(db) { db.query("SET work_mem = 1") }, /use with\(settings:, role:\), session \{ \}/],
    'query("LISTEN news")' => [->(db) { db.query("LISTEN news") }, /use listen/],
    'query("COPY users FROM STDIN")' => [->(db) { db.query("COPY users FROM STDIN") }, /use copy_in or copy_out/],
    'query("SELECT 1; SELECT 2")' => [->(db) { db.query("SELECT 1; SELECT 2") }, /use execute_script/],
    'query("CREATE TEMP TABLE t ()")' => [->(db) { db.query("CREATE TEMP TABLE t ()") }, /use session \{ \} or transaction \{ \}/],
    'query("COMMIT") in a transaction' => [->(db) { db.transaction { |tx| tx.query("SELECT 1") && tx.query("COMMIT") } }, /ends with its block: call rollback to undo it/],
    "transaction(isolation: :high)" => [->(db) { db.transaction(isolation: :high) { 1 } }, /isolation.*serializable/],
    "copy_in without a block" => [->(db) { db.copy_in("COPY users FROM STDIN") }, /copy_in takes an IO or a block/],
    'copy_in("COPY users TO STDOUT")' => [->(db) { db.copy_in("COPY users TO STDOUT") { 1 } }, /copy_in needs COPY \.\.\. FROM STDIN/],
    'query("SELECT nam ...")' => [->(db) { db.query("SELECT nam FROM users") }, /column "nam" does not exist.*LINE 1: SELECT nam.*\^.*HINT:.*users\.name/m],
    "insert(:users, id: 1)" => [->(db) { db.insert(:users, id: 1) }, /a row is written in braces, as in insert\(:users, \{ id: value \}\)/],
    'query("...", timeout: 5)' => [->(db) { db.query("SELECT 1", timeout: 5) }, /unknown keyword: :timeout: use deadline: \(seconds\)/],
    'query("...", keys: :symbol)' => [->(db) { db.query("SELECT 1", keys: :symbol) }, /unknown keyword: :keys: use .*with\(keys: :symbol\)/],
    'query("... LIKE \'%$1%\'", "x")' => [->(db) { db.query("SELECT 1 WHERE 'x' LIKE '%$1%'", "x") }, /between quotes \$1 is text; write it outside, as in '%' \|\| \$1 \|\| '%'/],
    'query("... FROM $1", "users")' => [->(db) { db.query("SELECT * FROM $1", "users") }, /\$1 and so on stand for values alone.*escape_identifier/],
    'query("... interval $1", "1 day")' => [->(db) { db.query("SELECT interval $1", "1 day") }, /a type goes behind, as in \$1::interval/],
    'query("...", as: Hash)' => [->(db) { db.query("SELECT 1 AS id", as: Hash) }, /rows are Hashes without it/],
    'query("...", settings: "work_mem=1MB")' => [->(db) { db.query("SELECT 1", settings: "work_mem=1MB") }, /settings must be a Hash, as \{ "work_mem" => "1MB" \}, not String/],
    'prepare("...").execute' => [->(db) { db.prepare("SELECT 1").execute }, /no method execute here: write query\(\*values\)/],
    "batch { |b| b.first(...) }" => [->(db) { db.batch { |b| b.first("SELECT 1") } }, /no method first here: write query\(sql, \*values\), and take its result from what batch returns/],
    "insert(:users, nil)" => [->(db) { db.insert(:users, nil) }, /a row to insert is a Hash of values by columns, not nil/],
    "insert(:users, [nil])" => [->(db) { db.insert(:users, [nil]) }, /a row to insert is a Hash of values by columns, not nil/],
    'insert(:users, "Ada")' => [->(db) { db.insert(:users, "Ada") }, /a row to insert is a Hash of values by columns, not String/],
    "insert(nil, { id: 1 })" => [->(db) { db.insert(nil, { id: 1 }) }, /a table is named by a Symbol or a String.*not by nil/],
    'query("...", as: Integer)' => [->(db) { db.query("SELECT 1 AS id", as: Integer) }, /as: takes a class .*not Integer/],
    'query("...", idempotent: "no")' => [->(db) { db.query("SELECT 1", idempotent: "no") }, /idempotent must be true or false, not "no"/],
    'batch(idempotent: "no")' => [->(db) { db.batch(idempotent: "no") { |b| b.query("SELECT 1") } }, /idempotent must be true or false, not "no"/],
    'insert("public.users", { id: 1 })' => [->(db) { db.insert("public.users", { id: 1 }) }, /relation "public\.users" does not exist: a dot within double quotes is part of one name: write "schema"\."table" in SQL, and \[:schema, :table\] for insert/],
    'insert(:"public.users", [{ id: 1 }, { id: 2 }])' => [->(db) { db.insert(:"public.users", [{ id: 1 }, { id: 2 }]) }, /write .*\[:schema, :table\] for insert/],
    'insert(:users, ..., returning: "users.id")' => [->(db) { db.insert(:users, { id: 1 }, returning: "users.id") }, /a dot within double quotes is part of one name/],
    'query("... FROM \"public.users\"")' => [->(db) { db.query('SELECT * FROM "public.users"') }, /write "schema"\."table" in SQL/],
    'execute_script("... = $1", 1)' => [->(db) { db.execute_script("#{USERS} = $1", 1) }, /execute_script takes SQL alone: a statement with values is run by query\(sql, \*values\)/],
    'execute_script("... = :id", id: 1)' => [->(db) { db.execute_script("#{USERS} = :id", id: 1) }, /execute_script takes SQL alone.*batch \{ \|batch\| batch\.query\(sql, \*values\) \}/],
    'execute_script("...", 1) in a transaction' => [->(db) { db.transaction { |tx| tx.execute_script("SELECT 1", 1) } }, /execute_script takes SQL alone/],
    'with(...).execute_script("...", 1)' => [->(db) { db.with(deadline: 5).execute_script("SELECT 1", 1) }, /execute_script takes SQL alone/],
    'prepare("by_id", "...")' => [->(db) { db.prepare("by_id", "SELECT $1::int") }, /prepare takes SQL alone, as statements have no names: prepared = prepare\(sql\)/],
    'query("... IN ($1)", [1, 2])' => [->(db) { db.query("#{USERS} IN ($1)", [1, 2]) }, /pass parameters separately: \$1 is integer, not an array; a list goes to = ANY\(\$1\)/],
    'query("... IN $1", [1, 2])' => [->(db) { db.query("#{USERS} IN $1", [1, 2]) }, /a list is = ANY\(\$1\)/],
    'query("... IS $1", nil)' => [->(db) { db.query("SELECT * FROM users WHERE name IS $1", nil) }, /IS is IS NOT DISTINCT FROM \$1/],
    'insert(:users, ..., returning: "*")' => [->(db) { db.insert(:users, { id: 1 }, returning: "*") }, /all columns are returning: true/],
    'insert(:users, ..., returning: "id, name")' => [->(db) { db.insert(:users, { id: 1 }, returning: "id, name") }, /several go to insert as an Array, as \[:id, :name\]/],
    "upsert(:users, { id: 1 })" => [->(db) { db.upsert(:users, { id: 1 }) }, /no method upsert here: write query\("INSERT \.\.\. ON CONFLICT/],
    "insert_id" => [->(db) { db.insert_id }, /write insert\(table, row, returning: :id\)\.value/],
    "db[:users]" => [->(db) { db[:users] }, /no method \[\] here: write query\("SELECT \.\.\.", \*values\)/],
    'count("SELECT 1")' => [->(db) { db.count("SELECT 1") }, /no method count here: write value\("SELECT count\(\*\) \.\.\."/],
    "server_version" => [->(db) { db.server_version }, /write value\("SHOW server_version"\)/],
    "backend_pid" => [->(db) { db.backend_pid }, /write value\("SELECT pg_catalog\.pg_backend_pid\(\)"\) in a session/],
    "pipeline { }" => [->(db) { db.pipeline { 1 } }, /the statements of all callers are pipelined/],
    "autocommit = true" => [->(db) { db.autocommit = true }, /each statement outside of transaction \{ \} is committed by itself/],
    "reset" => [->(db) { db.reset }, /a lost connection is replaced at the next call/],
    "type_map_for_results = map" => [->(db) { db.type_map_for_results = 1 }, /values are converted by the types of their columns/],
    'query("...").fetchmany(2)' => [->(db) { db.query("SELECT 1").fetchmany(2) }, /no method fetchmany here: write rows\.first\(number\)/],
    'query("...").error_message' => [->(db) { db.query("SELECT 1").error_message }, /what the server refuses raises an error/],
    "copy.write_row([1])" => [->(db) { db.copy_in("COPY users FROM STDIN") { |copy| copy.write_row([1, "Ada"]) } }, /no method write_row here: write << with an Array of values, or with data as a String/],
    'copy.write("1\\tAda")' => [->(db) { db.copy_in("COPY users FROM STDIN") { |copy| copy.write("1\tAda\n") } }, /no method write here: write << with/],
    "copy << { id: 1 }" => [->(db) { db.copy_in("COPY users FROM STDIN") { |copy| copy << { id: 1 } } }, /rows are Arrays, Strings or IOs, not Hash/],
    "Marshal.dump(db)" => [->(db) { Marshal.dump(db) }, /a Trunkline::Postgres::Client cannot be dumped: it belongs to connections.*dump results, or the URI/],
    "Marshal.dump(db.with(...))" => [->(db) { Marshal.dump(db.with(deadline: 5)) }, /a Trunkline::Postgres::Scope cannot be dumped.*dump results/],
    "Marshal.dump(session)" => [->(db) { db.session { |session| Marshal.dump(session) } }, /a Trunkline::Postgres::Session cannot be dumped.*dump results/],
    "Marshal.dump(transaction)" => [->(db) { db.transaction { |tx| Marshal.dump(tx) } }, /a Trunkline::Postgres::Transaction cannot be dumped.*dump results/],
    'Marshal.dump(async("..."))' => [->(db) { Marshal.dump(db.async("SELECT 1")) }, /a Trunkline::Postgres::Future cannot be dumped.*dump results/],
    'Marshal.dump(prepare("..."))' => [->(db) { Marshal.dump(db.prepare("SELECT 1")) }, /a Trunkline::Postgres::PreparedStatement cannot be dumped.*dump results/],
    "query after close" => [->(db) { db.close && db.query("SELECT 1") || db.query("SELECT 1") }, /the client is closed/]
  }.freeze
  private_constant :USERS, :CLIENTS, :CALLS

  def test_clients
    CLIENTS.each { |typed, (call, told)| assert_match told, error_of(typed, &call).message, typed }
  end

  def test_calls
    name = "users_#{SecureRandom.hex(4)}"
    psql("CREATE SCHEMA #{name}; CREATE TABLE #{name}.users (id int, name text)")
    Trunkline.postgres(postgres_server.uri, options: "-c search_path=#{name}") do |db|
      CALLS.each do |typed, (call, told)|
        error = error_of(typed) { call.call(db) }
        assert_match told, error.is_a?(Trunkline::Error) ? error.detailed_message : error.message, typed
      end
    end
  ensure
    psql("DROP SCHEMA #{name} CASCADE;")
  end

  # Each keyword that there is not is told by its name and with the nearest.
  def test_misspelt_keywords_of_a_client_name_the_nearest
    { group_comit: "group_commit", sesion_functions: "session_functions", max_wat: "max_wait", midlewares: "middlewares" }.each do |name, meant|
      assert_match(/, did you mean #{meant}\?/, error_of { Trunkline.postgres(name => 1) }.message)
    end
  end

  def test_no_password_is_reported
    ["mysql://ada:hunter2@localhost/app", "ada hunter2", { "password" => "hunter2" }].each { |given| refute_includes error_of { Trunkline.postgres(given) }.message, "hunter2" }
    refute_includes error_of { Trunkline::Postgres::Client.new("postgres://ada:hunter2@localhost/app") }.message, "hunter2"
  end

  def test_a_hash_goes_to_text_and_json
    Trunkline.postgres(postgres_server.uri) do |db|
      assert_equal ['{"id":1}', { "id" => 1 }], db.query("SELECT $1::text, $2::jsonb", { id: 1 }, { id: 1 }).rows.first
    end
  end

  private

  def error_of(typed = nil)
    yield
    flunk ["no error", *typed].join(": ")
  rescue Trunkline::Error, ArgumentError, TypeError, NameError => error
    error
  end
end
