# frozen_string_literal: true

# ActiveRecord in actions as they are usually written; see meeting.ru for what they are to show.
require "active_record"
require "trunkline"
require "trunkline/rack/thin"

ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
ActiveRecord::Base.establish_connection(adapter: "trunkline", host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT"),
                                        username: ENV.fetch("PGUSER"), database: ENV.fetch("PGDATABASE"), pool: 50, checkout_timeout: 60)
answers = {
  "/query" => "SELECT pg_advisory_xact_lock(7), 1",
  "/value" => "SELECT 42"
}

use Trunkline::Rack::Thin
run(lambda do |env|
  rows = ActiveRecord::Base.with_connection { |connection| connection.select_rows(answers.fetch(env["PATH_INFO"])) }
  body = rows.flatten.last.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
