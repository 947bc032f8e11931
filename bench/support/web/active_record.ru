# frozen_string_literal: true

# What an application asks by ActiveRecord, over the adapter that ADAPTER names. Asked for by its path.
#
#   /sleep     ten times a hundredth of a second that the database waits
#   /find      ten records by their primary keys
#   /page      five records, what belongs to one of them, and a count
#   /mixed     two requests to the server that UPSTREAM names, with two records after each

require "active_record"
require "net/http"
require "trunkline"

ActiveSupport::IsolatedExecutionState.isolation_level = ENV.fetch("ISOLATION").to_sym
ActiveRecord::Base.establish_connection(
  adapter: ENV.fetch("ADAPTER"), host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT"), username: ENV.fetch("PGUSER"), database: ENV.fetch("PGDATABASE"),
  pool: 600, checkout_timeout: 60, server_connections: 4, max_server_connections: Integer(ENV.fetch("MAX_SERVER_CONNECTIONS"))
)

class Account < ActiveRecord::Base
  has_many :entries
end

class Entry < ActiveRecord::Base
  belongs_to :account
end

ACCOUNTS = Integer(ENV.fetch("ACCOUNTS"))
UPSTREAM = URI(ENV.fetch("UPSTREAM"))
STRIDE = 48_271 # prime: walks through all accounts
turn = 0
pick = -> { Account.find((((turn += 1) * STRIDE) % ACCOUNTS) + 1) }
records = ->(count) { Array.new(count) { pick.call.branch }.sum }

actions = {
  "/sleep" => -> { Array.new(10) { ActiveRecord::Base.lease_connection.execute("SELECT pg_sleep(0.01)").ntuples }.sum },
  "/find" => -> { records.call(10) },
  "/page" => -> { [records.call(4), pick.call.entries.load.size, Entry.where(kind: 1).count].join(" ") },
  "/mixed" => -> { Array.new(2) { Net::HTTP.get(UPSTREAM) + records.call(2).to_s }.join }
}

run(lambda do |env|
  body = actions.fetch(env["PATH_INFO"]).call.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
ensure
  ActiveRecord::Base.connection_handler.clear_active_connections!(:all)
end)
