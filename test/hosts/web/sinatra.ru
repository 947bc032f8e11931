# frozen_string_literal: true

# Sinatra's actions as they are usually written; see meeting.ru for what they are to show.
require "sinatra/base"
require "trunkline"
require "trunkline/rack/thin"

db = Trunkline.postgres(connections: 2)
queue = Thread::Queue.new

application = Class.new(Sinatra::Base) do
  get("/wait") { queue.pop }
  get("/come") { queue.push("met") && "came" }
  get("/query") { db.value("SELECT pg_advisory_xact_lock(7), 1").inspect }
  get("/value") { db.value("SELECT 42").to_s }
end

use Trunkline::Rack::Thin
run application
