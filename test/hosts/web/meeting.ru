# frozen_string_literal: true

# Requests that end only when another has come: a server that stops for one never ends either.
require "trunkline"
require "trunkline/rack/thin"

db = Trunkline.postgres(connections: 2)
queue = Thread::Queue.new
ok = ->(body) { [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]] }
meetings = {
  "/wait" => -> { ok.call(queue.pop) },
  "/come" => -> { ok.call(queue.push("met") && "came") },
  "/query" => -> { ok.call(db.value("SELECT pg_advisory_xact_lock(7), 1").inspect) },
  "/value" => -> { ok.call(db.value("SELECT 42").to_s) },
  "/pipeline" => -> { ok.call(Trunkline.offload { queue.pop }) },
  "/broken" => -> { raise KeyError, "broken" }
}

use Trunkline::Rack::Thin if ENV["FIBERS"]
run ->(env) { meetings.fetch(env["PATH_INFO"]).call }
