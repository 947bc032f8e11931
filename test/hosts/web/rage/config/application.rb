# frozen_string_literal: true

require "rage"
require "active_record"
require "rage/all"
require "trunkline"

DB = Trunkline.postgres(nil, connections: 2, application_name: ENV.fetch("NAME"))
ActiveRecord::Base.establish_connection(adapter: "trunkline", host: ENV.fetch("PGHOST"), port: ENV.fetch("PGPORT"), username: "postgres",
                                        database: "postgres", pool: 20, checkout_timeout: 60)

# A row that the database makes up.
class Row < ActiveRecord::Base
  self.table_name = "rage_rows"
  self.primary_key = "id"
end

Rage.configure { config.server.workers_count = 1 }

require "rage/setup"
