# frozen_string_literal: true

# A program with several concurrent callers that use all of the clients' methods. It prints where threads and fibers were made meanwhile, a line each.
# It takes the addresses of a PostgreSQL and of a memcached, and whether the callers are threads or fibers.

require "async"
require "trunkline"

CALLERS = 8
MAKERS = { Thread => %i[new start fork], Fiber => %i[new schedule] }.compare_by_identity.freeze

def ask_everything(db, cache)
  db.query("SELECT $1::int", 1, deadline: 60)
  db.async("SELECT 1").value
  db.async("SELECT pg_sleep(0.2)").cancel
  db.batch { |batch| batch.query("SELECT 1").query("SELECT 2") }
  db.transaction { |tx| tx.query("SELECT 1") }
  db.session { |session| session.query("SET work_mem = '1MB'") }
  db.stream("SELECT generate_series(1, 10)") { |row| row }
  db.copy_out("COPY (SELECT 1) TO STDOUT") { |row| row }
  listen(db)
  cache.set("alone", 1)
  cache.get_multi("alone", "other")
end

def listen(db)
  subscription = db.listen("alone")
  db.notify("alone", "you")
  subscription.wait
ensure
  subscription&.close
end

def side_by_side(kind, &caller)
  return Array.new(CALLERS) { Thread.new(&caller) }.each(&:join) if kind == "threads"

  Sync { |task| Array.new(CALLERS) { task.async(&caller) }.each(&:wait) }
end

postgres, memcached, kind = ARGV
made = Thread::Queue.new
trace = TracePoint.new(:c_call) { |call| made << File.expand_path(call.path) if MAKERS[call.self]&.include?(call.method_id) }
Trunkline.memcached(memcached, timeout: 60) do |cache|
  Trunkline.postgres(postgres, connections: 1, max_connections: 4) do |db|
    trace.enable
    side_by_side(kind) { ask_everything(db, cache) }
    trace.disable
  end
end
puts Array.new(made.size) { made.pop }
