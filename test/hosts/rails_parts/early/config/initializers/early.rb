# frozen_string_literal: true

# What an initializer may do before a server forks its processes: it queries, takes a lock of its session, and leaves a transaction open.
Rails.application.config.after_initialize do
  ActiveRecord::Base.lease_connection.execute("SELECT pg_advisory_lock(11)")
  Room.lease_connection.begin_transaction
  Room.create!(name: "of the initializer")
end
