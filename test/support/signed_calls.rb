# frozen_string_literal: true

# A program that calls the public API, while RBS checks each argument, block and return value against the signatures in sig/: the first that does not
# match ends it. It takes the addresses of a PostgreSQL and of a memcached.

require "rbs/test/setup"
require "trunkline"

postgres, memcached = ARGV

Trunkline.postgres(postgres) do |db|
  result = db.query("SELECT 1 AS a, $1::text AS b", "x", deadline: 60, idempotent: true)
  result.each { |row| row["a"] }
  result.each.with_index.to_a
  %i[rows values columns types modifiers notices affected_rows size length empty? value inspect].each { |name| result.public_send(name) }
  result[0]
  db.first("SELECT 1")
  future = db.async("SELECT 1")
  [future.wait(60), future.done?, future.value, future.cancel]
  db.batch { |batch| batch.query("SELECT 1").query("SELECT $1::int", 2).size }
  db.value("SELECT 1", settings: { "app.tenant" => 1 })
  db.transaction { |tx| tx.transaction { |inner| inner.value("SELECT 1") }.then { tx.after_commit { nil } } }
  db.session do |session|
    session.execute_script("CREATE TEMP TABLE numbers (number int)")
    session.copy_in("COPY numbers FROM STDIN") { |copy| copy << [1] << [2] }
    session.copy_out("COPY numbers TO STDOUT") { |row| row }
    session.failed?
  end
  db.with(keys: :symbol, deadline: 60) { |symbols| symbols.first("SELECT 1 AS a") }
  statement = db.prepare("SELECT $1::int AS a")
  [statement.sql, statement.parameters, statement.columns, statement.query(1), statement.first(1), statement.value(1), statement.inspect]
  db.describe("SELECT $1::int AS a").columns.first.then { |column| [column.name, column.type, column.oid, column.modifier] }
  [db.stats, db.inspect, db.escape_literal("a"), db.escape_identifier(:a), db.classify("SELECT 1"), db.connection_count, db.disconnect]
  db.on_notice { |notice| notice[:message] }
  day = db.value("SELECT interval '1 day'")
  [day.months, day.days, day.microseconds, day.to_s, day == day, day.hash]
  ten = db.value("SELECT time '10:00'")
  [ten.hour, ten.minute, ten.second, ten.usec, ten.utc_offset, ten.to_s, ten <=> ten]
  begin
    db.query("SELECT 1 / 0")
  rescue Trunkline::DivisionByZero => error
    %i[sqlstate sent? retriable? server sql position hint detail fields batch primary_message].each { |name| error.public_send(name) }
  end
  Trunkline.deadline(60) { Trunkline.offload { db.value("SELECT 1") } }
end

Trunkline.memcached(memcached, timeout: 60) do |cache|
  [cache.set("a", 1, 60), cache.add("a", 2), cache.replace("a", 3, nil, { raw: false }), cache.get("a"), cache.gat("a", 60), cache.touch("a", 60)]
  cache.get_cas("a") { |value, version| [value, cache.set_cas("a", value, version)] }
  [cache.gets("a"), cache.cas("a") { |value| value }, cache.get_multi("a", "b"), cache.get_multi_cas("a")]
  [cache.set("s", "b", 60, { raw: true }), cache.append("s", "c"), cache.prepend("s", "a"), cache.delete("s"), cache.delete("s")]
  [cache.incr("n", 1, 60, 5), cache.decr("n"), cache.incr("none"), cache.fetch("f", 60) { 1 }]
  [cache.set_multi({ "x" => 1 }), cache.delete_multi("x", "y"), cache.version, cache.stats, cache.client_stats, cache.flush_all, cache.inspect]
end
