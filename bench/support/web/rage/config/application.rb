# frozen_string_literal: true

require "active_record"
require "net/http"
require "rage"
require "rage/all"
require "trunkline"

ActiveRecord::Base.establish_connection(
  adapter: ENV.fetch("ADAPTER"), host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT"), username: ENV.fetch("PGUSER"), database: ENV.fetch("PGDATABASE"),
  pool: Integer(ENV.fetch("POOL"))
)

class Account < ActiveRecord::Base
end

Rage.configure do
  config.server.workers_count = 1
  config.logger = nil
end

require "rage/setup"
