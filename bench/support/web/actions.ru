# frozen_string_literal: true

# The actions of the web benches, with the client that CLIENT names. Asked for by their path.
#
#   /wait      the database waits a tenth of a second
#   /waiting   one query of 10 ms that waits, then many short ones
#   /working   one query of about 10 ms that uses the server's processor, then many short ones

LONG = { "/waiting" => "SELECT 1 FROM pg_sleep(0.01)", "/working" => "SELECT count(*) FROM generate_series(1, 60000)" }.freeze
SHORT = "SELECT balance FROM accounts WHERE id = $1"
SHORTS = 20
CONNECTIONS = Integer(ENV.fetch("CONNECTIONS"))

value =
  if ENV["CLIENT"] == "pg"
    require "pg"
    pool = Thread::Queue.new
    CONNECTIONS.times { pool.push(nil) }
    lambda do |sql, *parameters|
      connection = pool.pop || PG.connect
      connection.exec_params(sql, parameters).getvalue(0, 0)
    ensure
      pool.push(connection)
    end
  else
    require "trunkline"
    db = Trunkline.postgres(connections: CONNECTIONS, max_connections: CONNECTIONS + 1)
    ->(sql, *parameters) { db.value(sql, *parameters) }
  end

actions = LONG.transform_values do |long|
  -> { ([value.call(long)] + Array.new(SHORTS) { |number| value.call(SHORT, number + 1) }).sum(&:to_i) }
end
actions["/wait"] = -> { value.call("SELECT 'waited' FROM pg_sleep(0.1)") }

if ENV["FIBERS"]
  require "trunkline/rack/thin"
  use Trunkline::Rack::Thin
end
run(lambda do |env|
  body = actions.fetch(env["PATH_INFO"]).call.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
